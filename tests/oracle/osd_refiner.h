/* SPDX-License-Identifier: Apache-2.0 */
/* osd_refiner.h: OpenSubdiv's refiner of a control mesh, for the witnesses that are made of it. */
#ifndef TESTS_ORACLE_OSD_REFINER_H
#define TESTS_ORACLE_OSD_REFINER_H
#include "tests/oracle/osd.h"
#include <memory>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>

template <int N> struct osd_vec {
    double x[N];
    void Clear()
    {
        for (double &c : x)
            c = 0;
    }
    void AddWithWeight(const osd_vec &v, double w)
    {
        for (int k = 0; k < N; k++)
            x[k] += w * v.x[k];
    }
};
using osd_refiner_ptr = std::unique_ptr<OpenSubdiv::Far::TopologyRefiner>;
/* osd_refiner: not refined yet. What OpenSubdiv classifies otherwise since 3.6.1 is as it is there, whatever the
 * version that this is linked with. */
osd_refiner_ptr osd_refiner(const struct sdd_mesh_desc *d, bool with_uvs);
#endif
