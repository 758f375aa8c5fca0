/* SPDX-License-Identifier: Apache-2.0 */
/* sdd_pause.h: lets a program use a device for other things while a long call of the library works on it. */
#ifndef SDD_SDD_PAUSE_H
#define SDD_SDD_PAUSE_H
#include "sdd.h"

/* sdd_device_on_pause: has pause(user) called every few milliseconds while the device works, on the thread that called
 * the library; before each launch and, on the CPU, within long ones. NULL ends this. The function may use the device
 * for other things, except for the topology that the call around it works on. When it returns other than 0, that call
 * ends with SDD_ECANCELLED.
 * Result  the same bits, wherever the work was cut */
void sdd_device_on_pause(sdd_device *d, int (*pause)(void *user), void *user);

#endif
