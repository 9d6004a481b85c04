# SPDX-License-Identifier: Apache-2.0
"""Makes the manual page, or the completions of a shell, from the command's --help.

manual.py (man|bash) COMMAND VERSION > FILE
"""
import re
import subprocess
import sys


class Command:
    """One --help: its purpose, its sections of (name, text), and its end."""

    def __init__(self, command, *subcommand):
        self.name = subcommand[0] if subcommand else ""
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


def print_bash(top, commands):
    print("# Completions of cucore for bash; for zsh after 'autoload bashcompinit; bashcompinit'.")
    print("_cucore() {\n  local word=${COMP_WORDS[COMP_CWORD]} options= command= each")
    print("  for each in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case $each in")
    print(f"      {'|'.join(command.name for command in commands)}) command=$each; break ;;")
    print("    esac\n  done\n  case $command in")
    for command in commands:
        print(f"    {command.name}) options='{' '.join(command.options())}' ;;")
    names = " ".join(command.name for command in commands)
    print(f"    '') options='{names}' ;;\n  esac")
    print(f"  [[ $word == -* ]] && options=\"$options {' '.join(top.options())}\"")
    print("  [[ $word == -* || -z $command ]] &&\n"
          "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n}")
    print("complete -o default -F _cucore cucore")


def main():
    what, command, version = sys.argv[1:]
    top = Command(command)
    commands = [Command(command, name) for name, _ in top.sections["Subcommands"]]
    if what == "man":
        print_manual(top, commands, version)
    else:
        print_bash(top, commands)


if __name__ == "__main__":
    main()
