/* engine_bullet.cpp - Bullet in double precision: sequential impulses with the default 10 iterations, one step of length h at
 * a time, bodies never put to sleep. */
#include "bench.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace
{
constexpr int ITERATIONS = 10;

struct engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{ &configuration };
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
    std::vector<std::unique_ptr<btCollisionShape>> shape;
    std::vector<std::unique_ptr<btRigidBody>> fixed, body;
    std::vector<bench_touch> touch;
    double h = 0;

    ~engine()
    {
        for (auto *list : { &body, &fixed }) {
            for (auto &b : *list) {
                world.removeRigidBody(b.get());
            }
        }
    }
};

/* a pair has the product of the frictions of its bodies */
std::unique_ptr<btRigidBody> make_body(engine *e, btCollisionShape *shape, double mass, const btVector3 &at, double mu)
{
    btVector3 inertia(0, 0, 0);
    e->shape.emplace_back(shape);
    if (mass > 0) {
        shape->calculateLocalInertia(mass, inertia);
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform.setOrigin(at);
    info.m_friction = std::sqrt(mu);
    info.m_restitution = 0;
    auto body = std::make_unique<btRigidBody>(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    e->world.addRigidBody(body.get());
    return body;
}

void *create(const bench_scene *scene)
{
    auto *e = new engine;
    e->world.setGravity(btVector3(0, 0, -scene->gravity));
    for (int k = 0; k < scene->planes; k++) {
        const bench_plane &p = scene->plane[k];
        auto *plane = new btStaticPlaneShape(btVector3(p.normal[0], p.normal[1], p.normal[2]), p.offset);
        e->fixed.push_back(make_body(e, plane, 0, btVector3(0, 0, 0), scene->mu));
    }
    for (int k = 0; k < scene->bodies; k++) {
        const bench_body &b = scene->body[k];
        btVector3 at(b.position[0], b.position[1], b.position[2]), half(b.size[0] / 2, b.size[1] / 2, b.size[2] / 2);
        btCollisionShape *shape = nullptr;
        if (b.sphere) {
            shape = new btSphereShape(b.radius);
        } else {
            shape = new btBoxShape(half);
        }
        e->body.push_back(make_body(e, shape, b.mass, at, scene->mu));
        e->body.back()->setUserIndex(k);
    }
    return e;
}

bool step(void *p, double h)
{
    auto *e = static_cast<engine *>(p);
    e->h = h;
    e->world.stepSimulation(h, 0, h);
    return true;
}

void state(void *p, int body, double x[3], double v[3])
{
    const btRigidBody &b = *static_cast<engine *>(p)->body[static_cast<size_t>(body)];
    for (int k = 0; k < 3; k++) {
        x[k] = b.getWorldTransform().getOrigin()[k];
        v[k] = b.getLinearVelocity()[k];
    }
}

int contacts(void *p)
{
    auto *e = static_cast<engine *>(p);
    int n = 0;
    for (int k = 0; k < e->dispatcher.getNumManifolds(); k++) {
        n += e->dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
    }
    return n;
}

void set_iterations(void *p, int iterations) { static_cast<engine *>(p)->world.getSolverInfo().m_numIterations = iterations; }

void motion(void *p, int body, bench_motion *out)
{
    const btRigidBody &b = *static_cast<engine *>(p)->body[static_cast<size_t>(body)];
    for (int i = 0; i < 9; i++) {
        out->R[i] = b.getWorldTransform().getBasis()[i / 3][i % 3];
    }
    for (int i = 0; i < 3; i++) {
        out->twist[i] = b.getLinearVelocity()[i];
        out->twist[3 + i] = b.getAngularVelocity()[i];
    }
}

void put(const btVector3 &from, double to[3])
{
    for (int i = 0; i < 3; i++) {
        to[i] = from[i];
    }
}

/* What Bullet asks for: an open gap may close, of an overlap a part is undone, of a deep one nothing by velocities. */
double offset_of(const btContactSolverInfo &info, double distance, double h)
{
    return distance > 0 ? distance / h : distance > info.m_splitImpulsePenetrationThreshold ? info.m_erp * distance / h : 0;
}

bench_touch touch_of(engine *e, const btPersistentManifold &manifold, const btManifoldPoint &point)
{
    const btVector3 n = point.m_normalWorldOnB, t = point.m_lateralFrictionDir1, s = n.cross(t);
    const btVector3 lateral = point.m_appliedImpulseLateral1 * t + point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
    bench_touch touch{};
    touch.body[0] = manifold.getBody0()->isStaticObject() ? -1 : manifold.getBody0()->getUserIndex();
    touch.body[1] = manifold.getBody1()->isStaticObject() ? -1 : manifold.getBody1()->getUserIndex();
    put(point.getPositionWorldOnA(), touch.point[0]);
    put(point.getPositionWorldOnB(), touch.point[1]);
    put(n, touch.axis[0]);
    put(t, touch.axis[1]);
    put(s, touch.axis[2]);
    touch.offset = offset_of(e->world.getSolverInfo(), point.getDistance(), e->h);
    touch.impulse[0] = point.m_appliedImpulse;
    touch.impulse[1] = lateral.dot(t);
    touch.impulse[2] = lateral.dot(s);
    return touch;
}

int touches(void *p, const bench_touch **list)
{
    auto *e = static_cast<engine *>(p);
    e->touch.clear();
    for (int k = 0; k < e->dispatcher.getNumManifolds(); k++) {
        const btPersistentManifold &manifold = *e->dispatcher.getManifoldByIndexInternal(k);
        for (int i = 0; i < manifold.getNumContacts(); i++) {
            e->touch.push_back(touch_of(e, manifold, manifold.getContactPoint(i)));
        }
    }
    *list = e->touch.data();
    return static_cast<int>(e->touch.size());
}

void destroy(void *p) { delete static_cast<engine *>(p); }

const char *version()
{
    static char text[80];
    std::snprintf(text, sizeof text, "%d.%02d (double, sequential impulses, 10 iterations)", btGetVersion() / 100,
                  btGetVersion() % 100);
    return text;
}
} // namespace

static const bench_insight insight = { ITERATIONS, set_iterations, motion, touches };
const bench_engine bench_bullet = { "Bullet", version, create, step, state, contacts, nullptr, destroy, &insight };
