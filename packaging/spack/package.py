"""Spack's recipe: copy it to packages/homenode/package.py of a repository of recipes."""

from spack.package import *


class Homenode(CMakePackage):
    """Shows where memory lives and who uses it on NUMA machines, and places threads and memory."""

    # Spack wants an address. These are placeholders: put in those of the archive that you use.
    homepage = "https://example.org/homenode"
    url = "https://example.org/homenode/homenode-0.2.0.tar.gz"

    license("MIT")

    # "./dev release" prints the digest: version("0.2.0", sha256="...").
    version("0.2.0")

    variant("python", default=True, description="What the Python verbs need: lab, study, report ...")
    variant("lab", default=True, description="The virtual NUMA machine's plugin and init")
    variant("static", default=False, description="A static command; needs a static libc")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.9:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.3:")
    depends_on("zydis@4:")
    with when("+python"):
        depends_on("python@3.11:", type=("build", "run"))
        depends_on("py-jinja2@3.1:", type=("build", "run"))
        depends_on("py-numpy@1.24:", type=("build", "run"))
        depends_on("py-pyelftools@0.29:", type=("build", "run"))
        depends_on("py-rich@13:", type=("build", "run"))
        depends_on("py-scipy@1.10:", type=("build", "run"))
    depends_on("qemu", type="run", when="+lab")

    generator("ninja")
    # The init of the lab's guest is static, as the command may be.
    requires("%gcc@12:", "%clang@14:", policy="one_of")

    def cmake_args(self):
        """Switches of the project's own CMakeLists.txt."""
        return [
            self.define("HOMENODE_TESTS", False),
            self.define("HOMENODE_JOIN", True),
            self.define_from_variant("HOMENODE_LAB", "lab"),
            self.define_from_variant("HOMENODE_STATIC_COMMAND", "static"),
        ]
