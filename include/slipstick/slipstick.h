/* slipstick.h - the whole public interface. */
#ifndef SLIPSTICK_H
#define SLIPSTICK_H

#include <slipstick/base.h>
#include <slipstick/drive.h>
#include <slipstick/extend.h>
#include <slipstick/io.h>
#include <slipstick/plot.h>
#include <slipstick/problem.h>
#include <slipstick/registry.h>
#include <slipstick/scene.h>
#include <slipstick/sim.h>
#include <slipstick/study.h>

#endif
