/* SPDX-License-Identifier: Apache-2.0 */
/* limit_rule.h: limit points of Catmull-Clark, and normals from corners, for vertices that only touch quads.
 * Source  Halstead et al. 1993; OpenSubdiv sdc/catmarkScheme.h */
#ifndef SDD_LIMIT_RULE_H
#define SDD_LIMIT_RULE_H
#include "gpu/rules/crease_rule.h"

/* What a kernel moves points to: where they go, or what OpenSubdiv takes for that (enum sdd_surface). */
enum sdd_limit_of { SDD_LIMIT = 1, SDD_LIMIT_AT_LEVEL = 2 };

/* Normals are made in double, because products of accepted coordinates, from 1e-30 to 1e30, would leave the range of
 * float. */
struct sdd_dvec3 {
    double x, y, z;
};

SDD_FN struct sdd_dvec3 sdd_cross(struct sdd_vec3 a, struct sdd_vec3 b)
{
    struct sdd_dvec3 r;
    r.x = (double)a.y * (double)b.z - (double)a.z * (double)b.y;
    r.y = (double)a.z * (double)b.x - (double)a.x * (double)b.z;
    r.z = (double)a.x * (double)b.y - (double)a.y * (double)b.x;
    return r;
}

SDD_FN void sdd_dvec3_add(struct sdd_dvec3 *to, struct sdd_dvec3 v)
{
    to->x += v.x;
    to->y += v.y;
    to->z += v.z;
}

/* The unit vector along n, or against it where sign is -1; zero where n is zero. */
SDD_FN struct sdd_vec3 sdd_unit(struct sdd_dvec3 n, double sign)
{
    double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(length > 0.0))
        return sdd_vec3_of(0.0f, 0.0f, 0.0f);
    sign /= length;
    return sdd_vec3_of((float)(n.x * sign), (float)(n.y * sign), (float)(n.z * sign));
}

/* The limit of the vertex at `at`, from the sums of the edge neighbours and of the vertices across its n quads. `ends`
 * is the sum of the far ends of its two sharp edges. The smooth mask is the left eigenvector of a step whatever n is;
 * OpenSubdiv lets a vertex of two quads stay. */
SDD_FN struct sdd_vec3 sdd_limit_point(struct sdd_vec3 at, int32_t rule, int32_t n, struct sdd_vec3 edges,
                                       struct sdd_vec3 diagonals, struct sdd_vec3 ends, int32_t limit)
{
    if (rule == SDD_RULE_CORNER || (rule == SDD_RULE_SMOOTH && n == 2 && limit == SDD_LIMIT_AT_LEVEL))
        return at;
    if (rule == SDD_RULE_CREASE)
        return sdd_fma((float)(1.0 / 6.0), ends, sdd_scale((float)(2.0 / 3.0), at));
    float wv = (float)(4.0 / 9.0), we = (float)(4.0 / 36.0), wd = (float)(1.0 / 36.0);
    if (n != 4) {
        double count = (double)n, d = count * (count + 5.0);
        wv = (float)(count / (count + 5.0));
        we = (float)(4.0 / d);
        wd = (float)(1.0 / d);
    }
    return sdd_fma(wv, at, sdd_fma(we, edges, sdd_scale(wd, diagonals)));
}
#endif
