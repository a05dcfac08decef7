"""homenode.tune: without a model, placements are tried in the order of what decides."""

from homenode import capi
from homenode.lab.catalogue import find_file
from homenode.tune.candidates import AS_IT_IS, Hot, candidates
from homenode.tune.rule import by_rule

MACHINE = str(find_file("opteron-8x2"))


def test_own_parts_and_spreading_take_turns_and_one_node_is_the_last_to_try() -> None:
    every = candidates(capi.machine(MACHINE), None)
    found = by_rule(every)
    assert sorted(one.name for one in found) == sorted(one.name for one in every)
    names = [one.name for one in found]
    assert names[0] == AS_IT_IS.name
    assert names[1:4] == ["threads compact", "interleave all", "threads scatter"]
    one_node = ["preferred" in name for name in names]
    assert True in one_node and one_node == sorted(one_node)


def test_a_part_for_each_node_is_own() -> None:
    every = candidates(capi.machine(MACHINE), None, [Hot("array", 64)])
    names = [one.name for one in by_rule(every)]
    assert names.index("threads compact, place array: block") < names.index("malloc bind")
    assert names.index("place array: interleave") < names.index("malloc bind")
