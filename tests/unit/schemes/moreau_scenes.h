/* moreau_scenes.h - beginnings of scenes, and the scenes that more than one test of Moreau's scheme runs. */
#ifndef SS_TEST_MOREAU_SCENES_H
#define SS_TEST_MOREAU_SCENES_H

#include "unit/schemes/text_run.h"

static inline void end(run *r)
{
    CHECK(ss_sim_ledger(r->sim)->closure <= 1e-12); /* round-off of one segment */
    leave(r);
}

#define HEAD(dimension, gravity)                                                                                                 \
    "{'slipstick':1,'dimension':" #dimension ",'gravity':" gravity ",'time':{'until':1,'step':0.01},'scheme':{'name':'moreau'},"

/* ---- implicit forces ------------------------------------------------------------------------------ */

/* a bob on a spring that swings: nonlinear */
static const char swing[] = HEAD(2, "[0,-9.81]") "'bodies':[{'name':'bob','type':'particle','mass':1,'position':[1,0]}],"
                                                 "'forces':[{'name':'s','type':'spring','bodies':['world','bob'],"
                                                 "'anchors':[[0,0],[0,0]],'stiffness':1000,'length':0.9}]}";

/* ---- gyroscopic forces ---------------------------------------------------------------------------- */

/* a top without symmetry on its tip; velocities as the joint demands */
static const char top[] =
    HEAD(3, "[0,0,-9.81]") "'bodies':[{'name':'top','type':'rigid','mass':1,'inertia':[0.02,0.03,0.01],'position':[0,0,0.5],"
                           "'velocity':[1,-0.5,0],'angular_velocity':[1,2,40]}],"
                           "'joints':[{'name':'tip','type':'spherical','bodies':['world','top'],'at':[0,0,0]}]}";

#endif
