// cost FILE.urdf: what Pinocchio's algorithms take, in nanoseconds a call: forward kinematics of all frames, inverse dynamics, mass matrix, forward
// dynamics, each the fastest of several rounds over the same random states.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

// Time that this thread has had.
static double now()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

template <typename Call> double fastest(int rounds, int calls, Call call)
{
    double best = 1e300;
    for (int round = 0; round < rounds; ++round) {
        const double begin = now();
        for (int number = 0; number < calls; ++number) call(number);
        best = std::min(best, (now() - begin) / calls);
    }
    return best;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: cost FILE.urdf\n");
        return 2;
    }
    pinocchio::Model model;
    pinocchio::urdf::buildModel(arguments[1], pinocchio::JointModelFreeFlyer(), model);
    pinocchio::Data data(model);
    const int states = 50, rounds = 25, calls = 400;
    model.lowerPositionLimit.setConstant(-1.0);
    model.upperPositionLimit.setConstant(1.0);
    std::vector<Eigen::VectorXd> q, v, a;
    for (int state = 0; state < states; ++state) {
        q.push_back(pinocchio::randomConfiguration(model));
        v.push_back(Eigen::VectorXd::Random(model.nv));
        a.push_back(Eigen::VectorXd::Random(model.nv));
    }
    const double kinematics = fastest(rounds, calls, [&](int number) {
        pinocchio::forwardKinematics(model, data, q[number % states]);
        pinocchio::updateFramePlacements(model, data);
    });
    const double rnea = fastest(rounds, calls, [&](int number) {
        const int state = number % states;
        pinocchio::rnea(model, data, q[state], v[state], a[state]);
    });
    const double crba = fastest(rounds, calls, [&](int number) { pinocchio::crba(model, data, q[number % states]); });
    const double aba = fastest(rounds, calls, [&](int number) {
        const int state = number % states;
        pinocchio::aba(model, data, q[state], v[state], a[state]);
    });
    std::printf("%d %.1f %.1f %.1f %.1f\n", model.nv, kinematics, rnea, crba, aba);
    return 0;
}
