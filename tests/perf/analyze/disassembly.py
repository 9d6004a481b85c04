# SPDX-License-Identifier: Apache-2.0
"""Reads what NVIDIA's nvdisasm and cuobjdump print for a CUBIN. Each mnemonic has a class."""
import hashlib
import re
import struct
import subprocess

SIZE = 16  # bytes of one instruction
# From sm_90 on, the system has shared memory in each block. cuobjdump adds it to the memory of kernels that use some.
RESERVED, RESERVED_FROM = 1024, 90
# The first word of a mnemonic determines its class.
CLASSES = {
    "f16": "HADD2 HFMA2 HMUL2 HSET2 HSETP2 HMNMX2 HADD2_32I HFMA2_32I HMUL2_32I",
    "f32": "FADD FMUL FFMA FMNMX FMNMX3 FSET FSETP FCHK FSWZADD FFMA2 FMUL2 FADD2 UFSETP UFFMA UFMUL UFADD UFMNMX UFSET UFMNMX3 FADD32I FFMA32I FMUL32I",
    "f64": "DADD DMUL DFMA DSETP DMNMX",
    "integer": "IADD IADD3 IADD32I IADD64 IMAD IMUL IMNMX IMNMX3 IABS ISETP LEA LOP LOP3 LOP32I SHF SHL SHR PRMT SGXT BMSK BREV FLO POPC IDP IDP4A ISCADD ISAD "
               "VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX VIMNMX3 VHMNMX UIADD3 UIADD UIMAD UISETP ULEA ULOP ULOP3 UPRMT USHF USGXT UBMSK UBREV UFLO UPOPC "
               "UIABS UIMNMX UVIADD UVIMNMX UIADD64 USHL USHR UIADD2",
    "conversion": "F2F F2I F2FP F2IP I2F I2I I2IP I2FP FRND UF2F UF2FP UF2I UF2IP UI2F UI2FP UI2I UI2IP UFRND",
    "special": "MUFU",
    "load_global": "LDG",
    "store_global": "STG",
    "load_shared": "LDS LDSM",
    "store_shared": "STS STSM",
    "load_local": "LDL",
    "store_local": "STL",
    "load_constant": "LDC LDCU ULDC",
    "load_generic": "LD",
    "store_generic": "ST",
    "texture": "TEX TLD TLD4 TMML TXD TXQ SULD SUST SUATOM SURED",
    "atomic": "ATOM ATOMG ATOMS RED REDG REDS",
    "matrix": "HMMA IMMA BMMA DMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA",
    "copy": "LDGSTS LDGDEPBAR UTMALDG UTMASTG UTMAREDG UTMAPF UBLKCP UBLKRED UBLKPF STAS UTCCP LDTM STTM REDAS",
    "shuffle": "SHFL VOTE VOTEU MATCH REDUX CREDUX ELECT MOVM",
    "branch": "BRA BRX BRXU BSSY BSYNC BREAK BMOV CALL RET EXIT JMP JMX JMXU YIELD RPCMOV KILL RTT",
    "barrier": "BAR DEPBAR MEMBAR ERRBAR CGAERRBAR WARPSYNC SYNCS ARRIVES ACQBULK FENCE WARPGROUP WARPGROUPSET ENDCOLLECTIVE UCGABAR_ARV UCGABAR_WAIT UCGABAR_GET "
               "UTMACMDFLUSH UTCBAR UGETNEXTWORKID_BARRIER ACQSHMINIT",
    "move": "MOV MOV32I UMOV SEL USEL FSEL UFSEL PLOP3 UPLOP3 P2R R2P R2UR B2R R2B UP2UR UR2UP PSETP PSET UPSETP MOV64IUR UR2R",
    "other": "NOP CS2R CS2UR S2R S2UR NANOSLEEP CCTL CCTLL CCTLT UCCTL QSPC BPT LEPC PREEXIT UTCATOMSWS PMTRIG SETCTAID SETLMEMBASE GETLMEMBASE VOTE_VTG USETMAXREG",
}
CLASS_OF = {mnemonic: name for name, mnemonics in CLASSES.items() for mnemonic in mnemonics.split()}
ACCESSES = {name for name in CLASSES if name.startswith(("load_", "store_"))}
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}
SECTION = re.compile(r"\s*\.section\s+\.text\.([^\s,\"]+)|\.text\.(\S+):\s*$")
LABEL = re.compile(r"(\.L\w+):\s*$")
# An address, a predicate, a mnemonic and its operands.
INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(@!?\w+\s+)?([A-Z][\w.]*)\s*([^;]*);")
RESOURCE = re.compile(r"(\w+(?:\[\d+\])?):(\d+)")

def sections(image):
    """Returns {name: bytes} of the sections with content of a CUBIN."""
    offset, = struct.unpack_from("<Q", image, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", image, 0x3A)
    rows = [struct.unpack_from("<IIQQQQ", image, offset + at * size) for at in range(count)]
    names = image[rows[names_at][4]:rows[names_at][4] + rows[names_at][5]]
    return {names[row[0]:names.index(b"\0", row[0])].decode(): image[row[4]:row[4] + row[5]] for row in rows if row[1] not in (0, 8)}


def code_of(image):
    """Returns {kernel: its machine code}."""
    return {name[len(".text."):]: content for name, content in sections(image).items() if name.startswith(".text.")}


def digest_of(code):
    return hashlib.sha256(code).hexdigest()[:12]


def compiler_of(image):
    """Returns the version of ptxas that a CUBIN has recorded, such as 13.0.88."""
    match = re.search(rb"release [\d.]+, V([\d.]+)", sections(image).get(".note.nv.tkinfo", b""))
    return match[1].decode() if match else ""


class Instruction:
    def __init__(self, match, code):
        self.address, self.predicate, self.name, self.operands = int(match[1], 16), match[2], match[3], match[4].strip()
        self.mnemonic, *self.modifiers = self.name.split(".")
        self.low, self.high = struct.unpack_from("<QQ", code, self.address)

    @property
    def group(self):
        return CLASS_OF.get(self.mnemonic, "")

    @property
    def width(self):
        """Returns the bytes that a thread accesses, or 0."""
        if not self.has_width:
            return 0
        return next((WIDTHS[each] for each in self.modifiers if each in WIDTHS), 4)

    @property
    def width_bits(self):
        return self.high >> 9 & 7 if self.has_width else 0

    @property
    def has_width(self):
        return self.group in ACCESSES and self.mnemonic not in ("LDSM", "STSM")


def without_filler(instructions, labels):
    """Leaves out what ptxas puts behind the end: a branch to itself, and instructions without effect."""
    end = len(instructions)
    while end > 0 and instructions[end - 1].mnemonic == "NOP":
        end -= 1
    if end > 0:
        last = instructions[end - 1]
        if last.mnemonic == "BRA" and not last.predicate and labels.get(last.operands.strip("`()")) == last.address:
            end -= 1
    return instructions[:end]


def read_disassembly(text, codes):
    """Returns {kernel: its instructions} of what nvdisasm prints. `codes` has the machine code of each kernel."""
    kernels, labels, name, waiting = {}, {}, None, []
    for line in text.splitlines():
        if match := SECTION.match(line):
            name = match[1] or match[2]
            kernels.setdefault(name, [])
            labels.setdefault(name, {})
        elif name is None:
            continue
        elif match := INSTRUCTION.match(line):
            kernels[name].append(Instruction(match, codes[name]))
            labels[name] |= {label: kernels[name][-1].address for label in waiting}
            waiting = []
        elif match := LABEL.match(line.strip()):
            waiting.append(match[1])
    for kernel, code in codes.items():
        found = [each.address for each in kernels.get(kernel, [])]
        if found != list(range(0, len(code), SIZE)):
            raise ValueError(f"{len(found)} of {len(code) // SIZE} instructions of {kernel}")
    return {kernel: without_filler(kernels[kernel], labels[kernel]) for kernel in codes}


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"{command}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.stdout


def disassemble(nvdisasm, path):
    return read_disassembly(run(nvdisasm, "-c", path), code_of(path.read_bytes()))


def resources_of(cuobjdump, path):
    """Returns the numbers of each kernel by their names, such as REG."""
    kernels, name = {}, None
    for line in run(cuobjdump, "--dump-resource-usage", path).splitlines():
        if match := re.match(r"\s*Function (\S+?):?\s*$", line):
            name = match[1]
        elif name and (found := RESOURCE.findall(line)):
            kernels[name] = {key: int(value) for key, value in found}
            name = None
    return kernels


def without_reserved(resources, arch):
    """Returns the resources with the shared memory of the kernel alone."""
    reserved = RESERVED if resources["shared"] > 0 and int(re.search(r"\d+", arch)[0]) >= RESERVED_FROM else 0
    return resources | {"shared": resources["shared"] - reserved}
