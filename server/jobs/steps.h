/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h: how a step runs on its thread, for jobs.c and together.c alone. */
#ifndef SUBDD_STEPS_H
#define SUBDD_STEPS_H
#include "server/jobs/jobs.h"

/* job_run_step: the task of a job that waits for a thread.
 * job_executor: that of the step.
 * job_guard_begin: what is done before a step on the device. Returns SDD_OK, or why the step must not run.
 * job_do_step: runs the step, unless the job is cancelled. Returns what it did.
 * job_commits: whether the step is one that commits.
 * job_commit_together: runs the job's step and those of others that wait and fit into one commit with it. Returns false
 * when there are none, and it has done nothing.
 * Threads  that of the step */
void job_run_step(struct task *task, void *user);
struct executor *job_executor(const struct job *job);
int job_guard_begin(struct job *job);
int job_do_step(struct job *job);
bool job_commits(const struct job *job);
bool job_commit_together(struct job *job);

#endif
