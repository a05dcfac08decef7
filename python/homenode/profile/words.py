"""How a profile writes its numbers and names, in the terminal and on the page. Pure."""

from homenode.draw.words import count
from homenode.profile.patterns import Pattern, Sharing
from homenode.profile.values import Locality, ObjectUse, Profile, Thread, Trait
from homenode.sizes import size_text

# After "it is": what the name of a pattern means.
MEANING = {
    Sharing.UNKNOWN: "who uses which part is not known",
    Sharing.PRIVATE: "one thread uses it",
    Sharing.SHARED: "all threads use all of it",
    Sharing.DIVIDED: "each thread uses a contiguous part",
    Sharing.PARTIAL: "each thread uses a contiguous part and the borders of its neighbours'",
    Sharing.INTERLEAVED: "neighbouring lines belong to different threads",
    Sharing.BANDS: "each thread uses a band that comes again in each row",
    Sharing.MESH: "each thread uses a tile of two dimensions",
    Sharing.PENCILS: "each thread uses a bar of three dimensions",
    Sharing.BLOCKS: "each thread uses a block of three dimensions",
    Sharing.IRREGULAR: "parts have few users each, in no order",
}


def percent(share: float | None) -> str:
    """A share for people; only what is exact is written as 0 or 100."""
    if share is None:
        return "?"
    value = 100 * share
    if 0 < value < 0.1:
        return "< 0.1 %"
    if 99.9 < value < 100:
        return "> 99.9 %"
    return f"{value:.0f} %" if value in (0.0, 100.0) else f"{value:.1f} %"


def locality(found: Locality) -> str:
    """The local share and how sure it is: "25.1 % local (± 1.2)"."""
    if found.share is None or found.margin is None:
        return "local share not known: not enough samples"
    sure = f" (± {100 * found.margin:.1f})" if found.margin > 0 else ""
    return f"{percent(found.share)} local{sure}"


def confidence(pattern: Pattern) -> str:
    """How sure a pattern is."""
    if pattern.sharing == Sharing.UNKNOWN:
        return pattern.why or "not known"
    return "sure" if pattern.sure else "not sure: within its units it may be another"


def thread(found: Thread) -> str:
    """A thread by its name and number."""
    return f"{found.name} {found.tid}" if found.name else f"thread {found.tid}"


def kind_and_size(use: ObjectUse) -> str:
    """What an object is: "static data, 512 MiB"."""
    item = use.object
    many = len(item.instances)
    times = f"{many} × up to " if many > 1 else ""
    return f"{item.kind}, {times}{size_text(item.bytes)}"


def traits(use: ObjectUse, profile: Profile) -> list[str]:
    """What else shows, in words."""
    found = []
    if Trait.MASTER_INITIALISED in use.traits:
        first = use.first_toucher
        who = "one thread" if first is None else thread(profile.threads[first])
        likely = "probably " if first is None else ""
        found.append(f"master-initialised: {likely}{who} touched all of it first")
    if Trait.READ_MOSTLY in use.traits:
        found.append(f"read-mostly ({percent(use.writes_share)} writes)")
    return found


def pattern(use: ObjectUse) -> str:
    """The pattern's name, with what is special about it."""
    found = use.pattern
    if found.sharing == Sharing.UNKNOWN:
        return f"pattern not known: {confidence(found)}"
    text = str(found.sharing)
    if found.sharing == Sharing.PARTIAL:
        text += f" ({percent(found.overlap)} overlap)"
    if found.levels:
        text += f" (parts of {size_text(found.levels[0].part)} every "
        text += f"{size_text(found.levels[0].period)})"
    return text if found.sure else f"probably {text}"


def program(profile: Profile) -> str:
    """What was profiled."""
    command = profile.taken.command
    if not command:
        return f"process {profile.taken.pid}"
    first = command[0] if command[0].startswith(".") else command[0].rpartition("/")[2]
    return " ".join([first, *command[1:]])


def whole(profile: Profile) -> str:
    """Threads, nodes and time in a line."""
    nodes = count(len(profile.nodes), "node")
    parts = [f"{count(len(profile.threads), 'thread')} on {nodes}"]
    if profile.taken.seconds > 0:
        parts.append(f"{profile.taken.seconds:.3g} s")
    return ", ".join(parts)


def provenance(profile: Profile) -> str:
    """Where the figures come from: the source, the number of samples, what it cost."""
    taken = profile.taken
    parts = [f"source {taken.source} ({taken.provenance}): {taken.samples:,} samples"]
    if taken.samples == 0 and profile.threads:
        parts = [f"source {taken.source} ({taken.provenance}): threads and nodes alone"]
    if taken.lost:
        parts.append(f"{taken.lost:,} lost")
    if taken.samples:
        parts.append(f"{percent(taken.attributed)} of them in known objects")
    if taken.cost_share is not None:
        parts.append(f"cost {percent(taken.cost_share)} of the program's CPU time")
    return ", ".join(parts)


def notes(profile: Profile) -> list[str]:
    """What limits what the profile can say."""
    taken = profile.taken
    found = []
    if taken.cannot_see:
        found.append(f"{taken.source} does not see {taken.cannot_see}")
    if taken.cut:
        found.append(f"the samples are incomplete: {taken.cut}")
    if taken.kernel_share > 0.005:
        found.append(f"{percent(taken.kernel_share)} of all uses, by the kernel, are left out")
    return found
