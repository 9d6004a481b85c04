# SPDX-License-Identifier: Apache-2.0
"""cucore sign and verify: the usual forms of keys, accepted and refused signatures."""
import base64
import hashlib
import hmac
import json
import os
import shutil
import stat
import struct
import subprocess
import unittest

from command import CommandTest

# RFC 8032, section 7.1, test 1.
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
SIGNATURE = 3


def pem(label, prefix, key):
    text = base64.encodebytes(bytes.fromhex(prefix) + key).decode()
    return f"-----BEGIN {label}-----\n{text}-----END {label}-----\n"


class SignTest(CommandTest):
    """Needs neither compiler nor driver: a bundle is a container."""

    def setUp(self):
        super().setUp()
        self.write("80.ptx", PTX)
        self.write("90.ptx", PTX.replace("sm_80", "sm_90"))
        self.succeeds("bundle", "80.ptx", "90.ptx", "-o", "a.cuco")
        self.write("private.pem", pem("PRIVATE KEY", "302e020100300506032b657004220420", SEED))
        self.write("public.pem", pem("PUBLIC KEY", "302a300506032b6570032100", PUBLIC))
        self.write("secret", b"thirty-two bytes that we share!!")
        self.write("other", b"thirty-two bytes that others do!")

    def verify(self, *arguments):
        return json.loads(self.succeeds("verify", *arguments, "--json"))


class Hmac(SignTest):
    def test_signed_in_place_and_verified(self):
        before = self.read("a.cuco")
        self.fails(SIGNATURE, "verify", "a.cuco", "--secret", "secret", says=["a.cuco", "sign"])
        self.assertIn("HMAC-SHA256", self.succeeds("sign", "a.cuco", "--secret", "secret"))
        self.assertNotEqual(self.read("a.cuco"), before)
        self.assertIn("signature: valid, by HMAC-SHA256 key", self.succeeds("verify", "a.cuco", "--secret", "secret"))
        self.assertEqual(self.succeeds("verify", "a.cuco", "--secret", "secret", "-q"), "")
        self.fails(SIGNATURE, "verify", "a.cuco", "--secret", "other", says=["a.cuco", "key"])
        self.succeeds("verify", "a.cuco", "--secret", "other", "--secret", "secret", "--require")

    def test_the_signature_is_what_the_format_says(self):
        self.succeeds("sign", "a.cuco", "--secret", "secret")
        data = bytearray(self.read("a.cuco"))
        count = struct.unpack_from("<I", data, 24)[0]
        entries = [64 + 96 * i for i in range(count)]
        signature = next(at for at in entries if struct.unpack_from("<I", data, at)[0] == 15)
        offset = struct.unpack_from("<Q", data, signature + 16)[0]
        signed = bytearray(data[:64 + 96 * count])
        signed[40:56] = bytes(16)
        expected = hmac.new(self.read("secret"), signed, hashlib.sha256).digest()
        self.assertEqual(bytes(data[offset + 16:offset + 48]), expected)
        self.assertEqual(self.verify("a.cuco", "--secret", "secret")["signature_key"],
                         hashlib.sha256(b"\1" + self.read("secret")).hexdigest()[:16])

    def test_hexadecimal_digits_are_the_bytes_that_they_stand_for(self):
        self.write("hex", self.read("secret").hex().upper() + "\n")
        self.succeeds("sign", "a.cuco", "--secret", "hex")
        self.succeeds("verify", "a.cuco", "--secret", "secret")
        self.fails(SIGNATURE, "verify", "a.cuco", "--secret", "hex", "--secret-format", "raw", says="key")
        self.write("short", "deadbeef")
        self.succeeds("sign", "a.cuco", "--secret", "short", "--secret-format", "hex")
        self.fails(SIGNATURE, "verify", "a.cuco", "--secret", "short", says="key")
        self.fails(1, "sign", "a.cuco", "--secret", "secret", "--secret-format", "hex", says="hexadecimal")

    def test_a_secret_that_can_be_guessed_is_warned_of(self):
        self.write("short", b"secret")
        result = self.run_command("sign", "a.cuco", "--secret", "short")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"guessed; 'openssl rand -hex 32'", result.stderr)


class Ed25519(SignTest):
    def test_keys_in_pem(self):
        self.succeeds("sign", "a.cuco", "--key", "private.pem", "-o", "signed.cuco")
        told = self.verify("signed.cuco", "--key", "public.pem")
        self.assertEqual((told["signature"], told["signature_key"]),
                         ("valid", hashlib.sha256(b"\2" + PUBLIC).hexdigest()[:16]))
        self.assertEqual(self.verify("a.cuco")["signature"], "unsigned")

    def test_keys_as_bytes_and_digits(self):
        self.write("seed", SEED)
        self.write("public", PUBLIC.hex())
        self.succeeds("sign", "a.cuco", "-k", "seed", "--key-format", "raw")
        self.succeeds("verify", "a.cuco", "-k", "public", "--key-format", "hex")
        self.succeeds("verify", "a.cuco", "-k", "public.pem")
        self.write("short", "abc")
        self.fails(1, "sign", "a.cuco", "-k", "short", "--key-format", "raw", says="32 bytes")

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_the_commands_of_the_help_make_keys(self):
        lines = [line.strip() for line in self.succeeds("sign", "--help").splitlines()
                 if line.strip().startswith(("openssl", "cucore sign", "cucore verify"))]
        self.assertEqual(len(lines), 5, lines)
        self.write("saxpy.cuco", self.read("a.cuco"))
        for line in lines:
            subprocess.run(line.replace("cucore ", f"{self.command} "), shell=True, check=True,
                           cwd=self.folder, capture_output=True)
        self.succeeds("verify", "saxpy.cuco", "--secret", "secret")
        self.fails(SIGNATURE, "verify", "saxpy.cuco", "--key", "public.pem", says="key")
        result = subprocess.run(["openssl", "genpkey", "-algorithm", "x25519"], check=True,
                                capture_output=True)
        self.write("x25519.pem", result.stdout)
        self.fails(1, "sign", "a.cuco", "-k", "x25519.pem", says="not an Ed25519 key")
        subprocess.run("openssl genpkey -algorithm ed25519 -aes256 -pass pass:x -out locked.pem",
                       shell=True, check=True, cwd=self.folder, capture_output=True)
        self.fails(1, "sign", "a.cuco", "-k", "locked.pem", says=["encrypted", "openssl pkey"])

    def test_the_wrong_half_is_told_of(self):
        self.fails(1, "sign", "a.cuco", "-k", "public.pem", says=["public key", "private"])
        self.fails(1, "verify", "a.cuco", "-k", "private.pem", says=["private key", "-pubout"])
        self.fails(1, "sign", "a.cuco", "--secret", "private.pem",
                   says="not a secret of HMAC")

    def test_keys_that_are_none(self):
        text = self.read("private.pem")
        for name, content, says in (("empty", b"", "empty"), ("cut", text[:40], "cut off"),
                                    ("cut2", text[:60] + b"\n", "cut off"),
                                    ("rsa", b"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n"
                                            b"-----END RSA PRIVATE KEY-----\n", "RSA PRIVATE KEY"),
                                    ("odd", text.replace(b"MC4", b"M!4"), "base64"),
                                    ("less", text.replace(b"MC4", b""), "not an Ed25519 key")):
            self.write(name, content)
            self.fails(1, "sign", "a.cuco", "--key", name, says=[name, says])
        self.fails(1, "sign", "a.cuco", "--key", "none", says=["none", "No such file"])
        self.fails(1, "sign", "a.cuco", "--key", ".", says="directory")
        self.fails(2, "sign", "a.cuco", says="--key")


class KeyConfusion(SignTest):
    """The owner of a public key must not be able to sign with it."""

    def public_forms(self):
        text, der = self.read("public.pem"), bytes.fromhex("302a300506032b6570032100") + PUBLIC
        return {"mark": b"\xef\xbb\xbf" + text, "before": b"Our key:\n" + text, "after": text + b"Ours.\n",
                "spaces": b" \n\n" + text, "dos": text.replace(b"\n", b"\r\n"), "der": der,
                "utf16": text.decode().encode("utf-16"), "hex": PUBLIC.hex().encode(), "raw": PUBLIC,
                "indented": b"  " + text, "twice": text + text, "ssh": b"ssh-ed25519 AAAAC3NzaC1lZDI1",
                "der_hex": der.hex().encode(), "base64": base64.b64encode(PUBLIC)}

    def test_no_form_of_a_public_key_signs(self):
        for name, content in self.public_forms().items():
            with self.subTest(name):
                self.write(name, content)
                result = self.run_command("sign", "a.cuco", "-k", name, "-o", f"{name}.cuco")
                self.assertEqual(result.returncode, 1, result)
                self.assertFalse((self.folder / f"{name}.cuco").exists())

    def test_a_signature_by_the_public_key_as_a_secret_is_none(self):
        self.write("raw", PUBLIC)
        self.succeeds("sign", "a.cuco", "--secret", "raw", "-o", "forged.cuco")
        for name, content in self.public_forms().items():
            self.write(name, content)
            for how in ([], ["--key-format", "hex"], ["--key-format", "raw"], ["--key-format", "der"]):
                with self.subTest(f"{name} {how}"):
                    self.assertIn(self.run_command("verify", "forged.cuco", "-k", name, *how).returncode,
                                  (1, SIGNATURE))
        data = bytearray(self.read("forged.cuco"))
        self.assertEqual(data[-80], 1)
        data[-80] = 2  # claims to be Ed25519's
        self.write("renamed.cuco", bytes(data))
        self.assertIn(self.run_command("verify", "renamed.cuco", "-k", "public.pem").returncode,
                      (1, SIGNATURE))

    def test_forms_that_people_have_verify(self):
        self.succeeds("sign", "a.cuco", "-k", "private.pem")
        forms = self.public_forms()
        for name in ("mark", "before", "after", "spaces", "dos", "der"):
            with self.subTest(name):
                self.write(name, forms[name])
                told = self.verify("a.cuco", "-k", name)
                self.assertEqual((told["signature"], told["signature_algorithm"]), ("valid", "Ed25519"))
        for name in ("hex", "raw"):
            self.write(name, forms[name])
            self.fails(1, "verify", "a.cuco", "-k", name, says=["PEM or DER", "--key-format"])
            self.succeeds("verify", "a.cuco", "-k", name, "--key-format", name)
        for name in ("utf16", "indented", "twice", "ssh", "der_hex", "base64"):
            self.write(name, forms[name])
            self.fails(1, "verify", "a.cuco", "-k", name, says=name)

    def test_secrets_are_no_keys_and_keys_no_secrets(self):
        self.fails(1, "sign", "a.cuco", "-k", "secret", says=["secret", "--secret"])
        self.fails(1, "verify", "a.cuco", "-k", "secret", says=["secret", "--secret"])
        forms = self.public_forms()
        forms["ssh2"] = b"---- BEGIN SSH2 PUBLIC KEY ----\nAAAAC3NzaC1lZDI1\n"
        forms["der_base64"] = base64.b64encode(forms["der"])
        forms["der_and_line"] = forms["der"] + b"\n"
        forms["private_hex"] = b"302e020100300506032b657004220420" + SEED.hex().encode()
        for name in ("mark", "before", "der", "indented", "utf16", "ssh", "ssh2", "der_hex", "der_base64",
                     "der_and_line", "private_hex"):
            self.write(name, forms[name])
            for command in ("sign", "verify"):
                self.fails(1, command, "a.cuco", "--secret", name, says=["not a secret of HMAC", "--key"])
        self.fails(2, "sign", "a.cuco", "--secret", "secret", "--key", "private.pem", says="one key")

    def test_the_algorithm_is_named(self):
        self.succeeds("sign", "a.cuco", "-k", "private.pem", "-o", "ed.cuco")
        self.succeeds("sign", "a.cuco", "--secret", "secret", "-o", "mac.cuco")
        for file, key, name in (("ed.cuco", ["-k", "public.pem"], "Ed25519"),
                                ("mac.cuco", ["--secret", "secret"], "HMAC-SHA256")):
            for arguments in (["verify", file, *key], ["inspect", file, *key]):
                self.assertIn(f"valid, by {name} key ", self.succeeds(*arguments))
                self.assertIn(f"by {name} key ", self.succeeds(*arguments[:2]))
                told = json.loads(self.succeeds(*arguments, "--json"))
                self.assertEqual(told["signature_algorithm"], name)
        self.assertEqual(self.verify("a.cuco")["signature_algorithm"], "")
        self.succeeds("verify", "ed.cuco", "-k", "public.pem", "--secret", "secret")

    def test_weak_public_keys_are_refused(self):
        weak = ["00" * 32, "01" + "00" * 31, "00" * 31 + "80", "ec" + "ff" * 30 + "7f",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"]
        self.succeeds("sign", "a.cuco", "-k", "private.pem")
        for key in weak:
            self.write("weak.pem", pem("PUBLIC KEY", "302a300506032b6570032100", bytes.fromhex(key)))
            for arguments in (["verify", "a.cuco", "-k"], ["verify", "80.ptx", "--allow-unsigned", "-k"],
                              ["run", "a.cuco", "-b", "1", "--driver", "cpu", "--verify-key"]):
                self.fails(1, *arguments, "weak.pem", says=["weak.pem", "weak Ed25519 public key"])


class Guarded(SignTest):
    """run, link and bundle check signatures as verify does."""

    def setUp(self):
        super().setUp()
        self.succeeds("sign", "a.cuco", "-k", "private.pem", "-o", "signed.cuco")
        self.succeeds("sign", "80.ptx", "-k", "private.pem", "-o", "80.cuco")
        self.succeeds("sign", "80.ptx", "--secret", "secret", "-o", "mac.cuco")

    def commands(self, file):
        yield ["bundle", file, "80.cuco", "-o", "out.cuco"]
        yield ["link", file, "-o", "out.cubin", "-a", "sm_90"]
        yield ["run", file, "-b", "1", "--arg", "buf:i32:4", "--driver", "cpu"]

    def test_what_is_not_rightly_signed_is_not_used(self):
        for file in ("a.cuco", "90.ptx", "mac.cuco", "saxpy.cu"):
            for command in self.commands(file):
                if file == "saxpy.cu" and command[0] != "run":
                    continue
                self.fails(SIGNATURE, *command, "--verify-key", "public.pem", says=file)
                self.fails(SIGNATURE, *command, "--verify-key", "public.pem", "--require-signature",
                           says=file)
                self.assertFalse((self.folder / "out.cuco").exists())
                self.assertFalse((self.folder / "out.cubin").exists())
        for command in self.commands("signed.cuco"):
            self.fails(2, *command, "--require-signature", says=["--require-signature", "--verify-key"])
            self.fails(1, *command, "--verify-key", "private.pem", says="private key")

    def test_what_is_signed_is_used(self):
        for command in self.commands("signed.cuco"):
            result = self.run_command(*command, "--verify-key", "public.pem")
            self.assertNotEqual(result.returncode, SIGNATURE, result.stderr)
        self.succeeds("bundle", "80.cuco", "90.ptx", "-o", "out.cuco", "--verify-key", "public.pem",
                      "--allow-unsigned")
        self.fails(SIGNATURE, *next(self.commands("mac.cuco")), "--verify-key", "public.pem",
                   says="mac.cuco")
        self.succeeds("sign", "90.ptx", "--secret", "secret", "-o", "90.cuco")
        self.succeeds("bundle", "mac.cuco", "90.cuco", "-o", "out.cuco", "--verify-secret", "secret")


class Policies(SignTest):
    def setUp(self):
        super().setUp()
        self.succeeds("sign", "a.cuco", "--key", "private.pem", "-o", "signed.cuco")

    def test_without_a_key_only_damage_is_found(self):
        self.assertIn("signature: not checked, by Ed25519 key", self.succeeds("verify", "signed.cuco"))
        self.assertEqual(self.verify("signed.cuco")["signature"], "unknown key")
        self.fails(2, "verify", "signed.cuco", "--require", says=["--require", "--key"])

    def test_unsigned_may_be_allowed(self):
        self.succeeds("verify", "a.cuco", "--key", "public.pem", "--allow-unsigned")
        self.fails(SIGNATURE, "verify", "a.cuco", "--key", "public.pem", "--require", says="sign")
        self.fails(2, "verify", "a.cuco", "-k", "public.pem", "--allow-unsigned", "--require",
                   says="--require")

    def test_a_wrong_signature_fails_whatever_is_allowed(self):
        data = bytearray(self.read("signed.cuco"))
        data[-60] ^= 1
        self.write("bent.cuco", bytes(data))
        for how in ([], ["--allow-unsigned"]):
            text = self.fails_somehow("verify", "bent.cuco", "--key", "public.pem", *how)
            self.assertIn("bent.cuco", text)

    def test_every_bent_or_missing_byte_is_found(self):
        good = self.read("signed.cuco")
        for at in range(0, len(good), 37):
            self.write("bent.cuco", good[:at] + bytes([good[at] ^ 4]) + good[at + 1:])
            self.fails_somehow("verify", "bent.cuco", "--key", "public.pem")
        for size in (0, 7, 8, 64, len(good) // 2, len(good) - 1):
            self.write("bent.cuco", good[:size])
            self.fails_somehow("verify", "bent.cuco", "--key", "public.pem")

    def fails_somehow(self, *arguments):
        result = self.run_command(*arguments)
        self.assertIn(result.returncode, (1, SIGNATURE))
        return result.stderr.decode()

    def test_a_raw_image_has_no_signature(self):
        self.fails(SIGNATURE, "verify", "80.ptx", "--key", "public.pem",
                   says=["raw PTX", "cucore sign 80.ptx -o"])
        self.fails(2, "sign", "80.ptx", "--key", "private.pem", says=["not a container", "-o"])
        self.succeeds("sign", "80.ptx", "--key", "private.pem", "-o", "b.cuco")
        self.succeeds("verify", "b.cuco", "--key", "public.pem")
        self.assertEqual(self.read("80.ptx").decode(), PTX)

    def test_inspect_tells_of_the_signature(self):
        self.assertIn("signed   none", self.succeeds("inspect", "a.cuco"))
        self.assertIn("signed   not checked, by Ed25519 key", self.succeeds("inspect", "signed.cuco"))
        self.assertIn("signed   valid", self.succeeds("inspect", "signed.cuco", "-k", "public.pem"))


class InPlace(SignTest):
    def test_links_and_permissions_stay(self):
        os.chmod(self.folder / "a.cuco", 0o640)
        (self.folder / "link.cuco").symlink_to("a.cuco")
        self.succeeds("sign", "link.cuco", "--secret", "secret")
        self.assertTrue((self.folder / "link.cuco").is_symlink())
        self.assertEqual(stat.S_IMODE((self.folder / "a.cuco").stat().st_mode), 0o640)
        self.succeeds("verify", "a.cuco", "--secret", "secret")

    def test_compressed_stays_compressed(self):
        self.write("90.ptx", PTX.replace("sm_80", "sm_90") + "// a long comment\n" * 200)
        self.succeeds("bundle", "80.ptx", "90.ptx", "-z", "-o", "z.cuco")
        self.succeeds("sign", "z.cuco", "--secret", "secret")
        sections = json.loads(self.succeeds("inspect", "z.cuco", "--json"))["sections"]
        self.assertIn("zstd", {section["compression"] for section in sections})

    def test_nothing_is_left_where_nothing_can_be_written(self):
        before = sorted(os.listdir(self.folder))
        self.fails(1, "sign", "a.cuco", "--secret", "secret", "-o", "/dev/full", says="No space")
        self.fails(1, "sign", "a.cuco", "--secret", "secret", "-o", "no/b.cuco", says="no/b.cuco")
        self.fails(1, "sign", "a.cuco", "--secret", "secret", "-o", ".", says="directory")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    @unittest.skipIf(os.geteuid() == 0, "root may write everything")
    def test_a_file_that_must_not_be_written_stays(self):
        os.chmod(self.folder / "a.cuco", 0o440)
        self.fails(1, "sign", "a.cuco", "--secret", "secret", says="Permission denied")

    def test_a_container_signed_twice_has_the_last_signature(self):
        self.succeeds("sign", "a.cuco", "--secret", "secret")
        self.succeeds("sign", "a.cuco", "--key", "private.pem")
        self.succeeds("verify", "a.cuco", "--key", "public.pem")
        self.fails(SIGNATURE, "verify", "a.cuco", "--secret", "secret", says="key")

    def test_pipes(self):
        result = self.run_command("sign", "-", "--secret", "secret", "-o", "-",
                                  input=self.read("a.cuco"))
        self.assertEqual(result.returncode, 0, result.stderr)
        result = self.run_command("verify", "-", "--secret", "secret", input=result.stdout)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
