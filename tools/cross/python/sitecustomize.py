# SPDX-License-Identifier: Apache-2.0
# For a wheel of another machine: meson-python compares the names of modules with those of the interpreter that runs it.
# The names of the other machine are in the settings that _PYTHON_SYSCONFIGDATA_NAME selects.
import importlib.machinery
import sysconfig

importlib.machinery.EXTENSION_SUFFIXES.insert(0, sysconfig.get_config_var("EXT_SUFFIX"))
