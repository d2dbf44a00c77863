/* watch.h - what is watched along an attempt: functions of its length whose fall to zero is an event, and the first that falls.
 */
#ifndef SS_WATCH_H
#define SS_WATCH_H

#include "schemes/event_capturing_rk/attempt.h"
#include "schemes/event_capturing_rk/onset.h"

/* Does a gap that is open at both ends of the attempt close in between? Then the attempt is cut there. */
ss_status ss_watch_dips(const ss_onset *onset, ss_attempt *attempt);
/* The first event within the attempt, if there is any, which then ends there; and the contacts that it is about. If the attempt
 * has no end any more, nothing is known. */
ss_status ss_watch_first(const ss_onset *onset, ss_attempt *attempt, ss_event_notes *notes);

#endif
