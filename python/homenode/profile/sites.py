"""Who allocated: the call stacks that the agent has recorded, as frames with names."""

from dataclasses import dataclass

from homenode.profile.images import read_image
from homenode.profile.mappings import Mapping
from homenode.profile.recording import Document, Recording
from homenode.profile.symbols import Frame, Place, Symbolizer


@dataclass(frozen=True)
class Site:
    """One call stack in one process: return addresses, innermost first."""

    function: str
    frames: tuple[int, ...]
    time_ns: int = 0


@dataclass(frozen=True)
class _Module:
    begin: int
    end: int
    bias: int
    path: str
    time_ns: int


def _printable(path: str) -> str:
    """The agent writes bytes that are no ASCII one by one."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class Sites:
    """The sites of all processes. A forked child uses its parent's until it has its own."""

    def __init__(self, recording: Recording) -> None:
        self._sites: dict[int, dict[int, Site]] = {}
        self._modules: dict[int, list[_Module]] = {}
        self.parents: dict[int, int] = {}
        self._symbolizer = Symbolizer()
        for document in recording.of("sites"):
            self._take_sites(document)
        for document in recording.of("modules"):
            self._take_modules(document)
        for document in recording.of("process"):
            if document.get("began") == "fork":
                self.parents[int(document["pid"])] = int(document.get("parent", 0))

    def _take_sites(self, document: Document) -> None:
        known = self._sites.setdefault(int(document["pid"]), {})
        time_ns = int(document.get("time_ns", 0))
        for site in document["sites"]:
            frames = tuple(int(frame) for frame in site["frames"])
            known[int(site["id"])] = Site(str(site.get("function", "")), frames, time_ns)

    def _take_modules(self, document: Document) -> None:
        known = self._modules.setdefault(int(document["pid"]), [])
        time_ns = int(document.get("time_ns", 0))
        for module in document["modules"]:
            path = _printable(str(module["path"]))
            begin, end, bias = (int(module[key]) for key in ("begin", "end", "bias"))
            known.append(_Module(begin, end, bias, path, time_ns))

    def add_mappings(self, pid: int, mappings: list[Mapping]) -> None:
        """Where code is, by what a sampler has seen from outside."""
        known = self._modules.setdefault(pid, [])
        for mapping in mappings:
            if "x" in mapping.permissions and mapping.path.startswith("/"):
                bias = read_image(mapping.path).bias(mapping.begin, mapping.offset)
                if bias is not None:
                    found = (mapping.begin, mapping.end, bias, mapping.path, mapping.began_ns)
                    known.append(_Module(*found))

    def family(self, pid: int) -> list[int]:
        """The process, its parent, and so on, as far as they were forked."""
        found = [pid]
        while (pid := self.parents.get(pid, 0)) and pid not in found:
            found.append(pid)
        return found

    def find(self, pid: int, site: int) -> Site | None:
        """The site of this number."""
        known = (self._sites.get(of, {}).get(site) for of in self.family(pid))
        return next((item for item in known if item is not None), None)

    def files(self, pid: int) -> list[str]:
        """What the process and those that it was forked from had loaded."""
        return [module.path for of in self.family(pid) for module in self._modules.get(of, [])]

    def calls(self, pid: int, site: Site) -> list[Place | None]:
        """Where the calls of its stack are, innermost first; None where no file is known."""
        return [self._place(pid, site, frame) for frame in site.frames]

    def _place(self, pid: int, site: Site, frame: int) -> Place | None:
        """Where the call is that returns to `frame`; of several modules that were there the last
        one that was loaded before, else the first one after."""
        inside = [
            module
            for of in self.family(pid)
            for module in self._modules.get(of, [])
            if module.begin <= frame - 1 < module.end
        ]
        if not inside:
            return None
        # A module is told right after the first site that goes through it.
        late = 50_000_000
        before = [module for module in inside if module.time_ns <= site.time_ns + late]
        module = max(before or inside, key=lambda item: item.time_ns)
        return Place(module.path, frame - 1 - module.bias)

    def learn(self, wanted: list[tuple[int, Site]]) -> None:
        """Looks up all frames of some sites at once."""
        places = [place for pid, site in wanted for place in self.calls(pid, site)]
        self._symbolizer.learn(place for place in places if place is not None)

    def frames(self, pid: int, site: Site) -> list[Frame]:
        """The functions of its stack, innermost first."""
        found: list[Frame] = []
        for frame, place in zip(site.frames, self.calls(pid, site), strict=True):
            if place is None:
                found.append(Frame(f"{frame:#x}", "", False))
            else:
                found += self._symbolizer.frames(place)
        return found
