#include "workloads/message/molecules_objects.h"

#include <algorithm>

namespace homenode::workloads::message {
namespace {

enum MoleculesKind : std::uint32_t { places, forces, migrants };

unsigned computes_in(const MoleculesShape& shape) {
  return computes_per_patch * shape.patches();
}

/// Where a patch's forces from one side of a compute go among its nine.
unsigned place_of(const Compute& compute, unsigned number, unsigned side) {
  const unsigned own = number % computes_per_patch;
  return side == 0 || compute.self() ? own : opposite(own - 1) + 1;
}

}  // namespace

std::vector<Channel> plan_molecules(const MoleculesShape& shape) {
  ChannelPlan plan;
  const unsigned pes = shape.layout.pes;
  const auto patch_pe = [&](unsigned patch) { return pe_of(patch, shape.patches(), pes); };
  for (unsigned patch = 0; patch < shape.patches(); ++patch) {
    const unsigned from = patch_pe(patch);
    for (unsigned place = 0; place < computes_of_patch; ++place) {
      const unsigned to = pe_of(patch_compute(shape, patch, place), computes_in(shape), pes);
      plan.add(from, to, places, shape.room() * sizeof(Particle));
      plan.add(to, from, forces, shape.room() * sizeof(Force));
    }
    for (unsigned way = 0; way < directions.size(); ++way) {
      plan.add(from, patch_pe(neighbour_patch(shape, patch, way)), migrants,
               shape.room() * sizeof(Particle));
    }
  }
  return plan.lay_out(shape.layout.page_bytes);
}

std::size_t patch_bytes(const MoleculesShape& shape) {
  const std::size_t page = shape.layout.page_bytes;
  return (shape.room() * sizeof(Particle) + page - 1) / page * page;
}

Molecules::Molecules(const MoleculesShape& shape, const std::vector<Channel>& plan, void* particles,
                     void* messages)
    : shape_(shape),
      law_(law_of(shape)),
      particles_(static_cast<std::byte*>(particles)),
      channels_(plan, messages),
      patches_(shape.patches()),
      computes_(computes_in(shape)),
      spaces_(shape.layout.pes) {}

unsigned Molecules::pe_of_patch(unsigned patch) const {
  return pe_of(patch, patches_.size(), shape_.layout.pes);
}

unsigned Molecules::pe_of_compute(unsigned compute) const {
  return pe_of(compute, computes_.size(), shape_.layout.pes);
}

void Molecules::build(unsigned pe) {
  channels_.open(pe);
  spaces_[pe] = std::make_unique<ComputeSpace>(shape_.room());
  for (unsigned i = 0; i < patches_.size(); ++i) {
    if (pe_of_patch(i) != pe) continue;
    auto* const first = reinterpret_cast<Particle*>(particles_ + i * patch_bytes(shape_));
    patches_[i].reset(new PatchObject{.patch = Patch(shape_, i, {first, shape_.room(), 0})});
  }
  for (unsigned i = 0; i < computes_.size(); ++i) {
    if (pe_of_compute(i) != pe) continue;
    computes_[i].reset(new ComputeObject{.compute = compute_of(shape_, i)});
  }
}

void Molecules::start(Runtime& runtime, unsigned pe) {
  for (unsigned i = 0; i < patches_.size(); ++i) {
    if (pe_of_patch(i) == pe) send_particles(runtime, i);
  }
}

/// Null where malloc has none: the run falls silent then, and its checks say so.
Message* Molecules::take(Way way, std::uint32_t kind, std::uint32_t object, std::uint32_t link) {
  Message* const message = channels_.pool(way.from, way.to, kind).take();
  if (message == nullptr) return nullptr;
  message->kind = kind;
  message->object = object;
  message->link = link;
  return message;
}

void Molecules::send_particles(Runtime& runtime, unsigned number) {
  const auto particles = patches_[number]->patch.particles();
  const unsigned from = pe_of_patch(number);
  for (unsigned place = 0; place < computes_of_patch; ++place) {
    const unsigned to = patch_compute(shape_, number, place);
    const unsigned side = place < computes_per_patch ? 0 : 1;
    Message* const message = take({from, pe_of_compute(to)}, places, to, side);
    if (message == nullptr) return;
    message->number = particles.size();
    std::ranges::copy(particles, message->items<Particle>(particles.size()).begin());
    runtime.send(from, pe_of_compute(to), *message);
  }
}

void Molecules::compute(Runtime& runtime, unsigned number) {
  ComputeObject& object = *computes_[number];
  const Compute& compute = object.compute;
  const unsigned from = pe_of_compute(number);
  ComputeSpace& space = *spaces_[from];
  const unsigned sides = compute.self() ? 1 : 2;
  std::array<std::span<const Particle>, 2> particles;
  for (unsigned side = 0; side < sides; ++side) {
    particles[side] = object.sides[side]->items<Particle>(object.sides[side]->number);
  }
  const double potential = space.compute(compute, law_, particles[0], particles[1]);
  const auto first = static_cast<double>(particles[0].size());
  const auto second = static_cast<double>(particles[1].size());
  object.pairs += compute.self() ? first * (first - 1) / 2 : first * second;
  // Given back before anything is sent: what is sent lets the patch send on the same link again.
  for (unsigned side = 0; side < sides; ++side) Pool::give_back(*object.sides[side]);
  object.sides_here = 0;
  for (unsigned side = 0; side < sides; ++side) {
    const unsigned patch = side == 0 ? compute.first : compute.second;
    Message* const message =
        take({from, pe_of_patch(patch)}, forces, patch, place_of(compute, number, side));
    if (message == nullptr) return;
    message->figure = potential;
    space.copy_forces(side, message->items<Force>(particles[side].size()));
    runtime.send(from, pe_of_patch(patch), *message);
  }
}

void Molecules::move(Runtime& runtime, unsigned number) {
  PatchObject& object = *patches_[number];
  std::array<ForcesOfCompute, computes_of_patch> of_computes;
  double potential = 0.0;
  for (unsigned place = 0; place < computes_of_patch; ++place) {
    of_computes[place] = object.forces[place]->items<Force>(object.patch.particles().size());
    if (place < computes_per_patch) potential += object.forces[place]->figure;
  }
  object.patch.move(of_computes, potential);
  for (Message* const message : object.forces) Pool::give_back(*message);
  object.forces_here = 0;

  const unsigned from = pe_of_patch(number);
  std::array<Message*, directions.size()> messages{};
  std::array<ParticleList, directions.size()> leavers;
  for (unsigned way = 0; way < directions.size(); ++way) {
    const unsigned to = neighbour_patch(shape_, number, way);
    messages[way] = take({from, pe_of_patch(to)}, migrants, to, opposite(way));
    if (messages[way] == nullptr) return;
    leavers[way] = {messages[way]->items<Particle>(shape_.room()).data(), shape_.room(), 0};
  }
  object.patch.take_leavers(leavers);
  for (unsigned way = 0; way < directions.size(); ++way) {
    messages[way]->number = leavers[way].count;
    runtime.send(from, pe_of_patch(messages[way]->object), *messages[way]);
  }
  object.moved = true;
}

void Molecules::begin_next_step(Runtime& runtime, unsigned number) {
  PatchObject& object = *patches_[number];
  for (Message* const message : object.arrivals) {
    object.patch.take_in(message->items<Particle>(message->number));
    Pool::give_back(*message);
  }
  object.arrivals_here = 0;
  object.moved = false;
  object.step += 1;
  if (object.step < shape_.steps) send_particles(runtime, number);
}

void Molecules::receive(Runtime& runtime, unsigned /*pe*/, Message& message) {
  const unsigned number = message.object;
  if (message.kind == places) {
    ComputeObject& object = *computes_[number];
    object.sides[message.link] = &message;
    object.sides_here += 1;
    if (object.sides_here == (object.compute.self() ? 1U : 2U)) compute(runtime, number);
    return;
  }
  PatchObject& object = *patches_[number];
  if (message.kind == forces) {
    object.forces[message.link] = &message;
    object.forces_here += 1;
    if (object.forces_here == computes_of_patch) move(runtime, number);
  } else {
    object.arrivals[message.link] = &message;
    object.arrivals_here += 1;
  }
  // Neighbours may be done with this step before this patch is.
  if (object.moved && object.arrivals_here == directions.size()) begin_next_step(runtime, number);
}

double Molecules::pairs() const {
  double sum = 0.0;
  for (const auto& compute : computes_) sum += compute->pairs;
  return sum;
}

}  // namespace homenode::workloads::message
