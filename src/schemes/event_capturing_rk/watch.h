/* watch.h - what is watched along a trial: functions of its length whose fall to zero is an event, and the first that falls. */
#ifndef SS_WATCH_H
#define SS_WATCH_H

#include "schemes/event_capturing_rk/onset.h"
#include "schemes/event_capturing_rk/trial.h"

/* Does a gap that is open at both ends of the trial close in between? Then the trial is cut there. */
ss_status ss_watch_dips(const ss_onset *onset, ss_trial *trial);
/* The first event within the trial, which then ends there; onset->lost and ->stopped are the contacts that it was about, for
 * the next onset. *event false: there is none. If the trial has no end any more, nothing is known. */
ss_status ss_watch_first(ss_onset *onset, ss_trial *trial, bool *event);

#endif
