# SPDX-License-Identifier: Apache-2.0
"""Makes the manual page, or the completions of a shell, from the command's --help.

manual.py (man|bash) COMMAND VERSION > FILE
"""
import re
import subprocess
import sys


# "ptx, cubin or ltoir; default: ...", "of secrets: hex or raw", "nvidia, cpu, auto (default)"
WORDS = re.compile(r"(?:of \w+: )?((?:[a-z0-9]+, )*[a-z0-9]+(?: or |, )[a-z0-9]+)(?=[;:]|, 32| \(|$)")


class Command:
    """One --help: its purpose, its sections of (name, text), and its end."""

    def __init__(self, command, *subcommand):
        self.name = " ".join(subcommand)
        text = subprocess.run([command, *subcommand, "--help"], check=True, text=True,
                              capture_output=True).stdout
        lines = text.splitlines()
        self.purpose, self.usage = lines[0], lines[1].removeprefix("Usage: ")
        self.sections, self.footer = {}, []
        rows = None
        for line in lines[2:]:
            title = re.fullmatch(r"([A-Z][a-z]+(?: [a-z]+)*):", line)
            if self.footer:
                self.footer.append(line)
            elif title and title[1] != "Example":
                rows = self.sections.setdefault(title[1], [])
            elif rows is not None and re.match(r" {2}\S", line):
                name, _, said = line[2:].partition("  ")
                rows.append([name, said.strip()])
            elif rows is not None and line.startswith("   "):
                rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
            elif line:
                rows = None
                self.footer.append(line)

    def options(self):
        """All spellings: --ftz and --no-ftz, -o and --output."""
        for title, rows in self.sections.items():
            if title in ("Positionals", "Subcommands"):
                continue
            for name, _ in rows:
                for word in name.split()[0].split(","):
                    if "[no-]" in word:
                        yield word.replace("[no-]", "no-")
                        word = word.replace("[no-]", "")
                    yield word


    def values(self):
        """The spellings of each option whose text begins with a list of words, and these words."""
        for title, rows in self.sections.items():
            listed = [(name, WORDS.match(text)) for name, text in rows]
            if title not in ("Positionals", "Subcommands"):
                for name, found in listed:
                    if found and " " in name:
                        yield name.split()[0].split(","), " ".join(re.split(r", | or ", found[1]))


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def print_rows(rows):
    for name, said in rows:
        print(f".TP\n\\fB{escape(name)}\\fR\n{escape(said)}")


def print_footer(lines):
    """Indented lines are examples, which stay unchanged."""
    print(".PP")
    example = False
    for line in lines:
        if example != line.startswith("  "):
            example = not example
            print(".PP\n.EX" if example else ".EE\n.PP")
        print(escape(line))
    if example:
        print(".EE")


def print_manual(top, commands, version):
    print(f'.TH CUCORE 1 "" "cucore {version}" "User Commands"')
    print(f".SH NAME\ncucore \\- {escape(top.purpose[0].lower() + top.purpose[1:].rstrip('.'))}")
    print(f".SH SYNOPSIS\n.B {escape(top.usage)}")
    print(".SH OPTIONS\nThey may stand before the subcommand or after it.")
    print_rows(top.sections["Options"])
    print(".SH SUBCOMMANDS")
    for command in commands:
        print(f".SS {escape(command.name)}\n{escape(command.purpose)}\n.PP\n"
              f".B {escape(command.usage)}")
        for rows in command.sections.values():
            print_rows([row for row in rows if not row[0].startswith("-h")])
        print_footer(command.footer)
    print(".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe operation failed\n.TP\n2\n"
          "the command line is wrong\n.TP\n3\na signature is missing or wrong")
    print(".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nif not empty, nothing is painted\n.TP\n"
          "\\fBCUCORE_DRIVER\\fR\nthe driver, as \\fB\\-\\-driver\\fR\n.TP\n"
          "\\fBCUCORE_NVRTC\\fR, \\fBCUCORE_NVJITLINK\\fR, \\fBCUCORE_NVVM\\fR\n"
          "file or folder of a library")


def pattern(command, words):
    return "|".join(f"'{command} {word}'" for word in words)


def print_words(commands):
    """Prints the options of each command, and the names of its subcommands."""
    print("  case $command in")
    for command in commands:
        names = [name for name, _ in command.sections.get("Subcommands", [])]
        print(f"    '{command.name}') names='{' '.join(names)}' options='{' '.join(command.options())}' ;;")
    print("  esac")


def print_values(top, commands):
    """Prints the values of the options that accept nothing else."""
    print("  case \"$command $before\" in")
    for command in commands:
        for spellings, values in command.values():
            print(f"    {pattern(command.name, spellings)}) names='{values}' ;;")
    for spellings, values in top.values():
        print(f"    {'|'.join(f'*{chr(39)} {each}{chr(39)}' for each in spellings)}) names='{values}' ;;")
    print("  esac")


def print_bash(top, commands):
    print("# Completions of cucore for bash; for zsh after 'autoload bashcompinit; bashcompinit'.")
    print("_cucore() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "  local names= options= command= each\n"
          "  for each in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$command $each\" in")
    print(f"      {pattern('', [command.name for command in commands if ' ' not in command.name])}) command=$each ;;")
    nested = [command.name for command in commands if " " in command.name]
    print(f"      {'|'.join(map(repr, nested))}) command=\"$command $each\" ;;\n    esac\n  done")
    print_words([top, *commands])
    print_values(top, commands)
    print(f"  [[ $word == -* ]] && names=\"$options {' '.join(top.options())}\"")
    print("  COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n}")
    print("complete -o default -F _cucore cucore")


def subcommands(command, parent):
    return [Command(command, *parent.name.split(), name) for name, _ in parent.sections.get("Subcommands", [])]


def main():
    what, command, version = sys.argv[1:]
    top = Command(command)
    commands = subcommands(command, top)
    if what == "man":
        print_manual(top, commands, version)
    else:
        print_bash(top, [each for one in commands for each in (one, *subcommands(command, one))])


if __name__ == "__main__":
    main()
