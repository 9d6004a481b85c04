#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out packages as a Maven repository: maven_repository.py FOLDER POM JAR...

A jar of the name NAME-sources.jar or NAME-javadoc.jar gets that classifier. Each file has its checksums.
"""
import hashlib
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

NAMESPACE = "{http://maven.apache.org/POM/4.0.0}"


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    for name in ("md5", "sha1", "sha256", "sha512"):
        Path(f"{path}.{name}").write_text(hashlib.new(name, data).hexdigest())


def main(folder, pom, *jars):
    root = ET.parse(pom).getroot()
    group, artifact, version = (root.findtext(NAMESPACE + name) for name in ("groupId", "artifactId", "version"))
    place = Path(folder, *group.split("."), artifact, version)
    put(place / f"{artifact}-{version}.pom", Path(pom).read_bytes())
    for jar in map(Path, jars):
        classifier = jar.stem.removeprefix(artifact)
        if classifier not in ("", "-sources", "-javadoc"):
            sys.exit(f"maven_repository.py: {jar.name} is not a jar of {artifact}; expected {artifact}.jar, {artifact}-sources.jar or {artifact}-javadoc.jar")
        put(place / f"{artifact}-{version}{classifier}.jar", jar.read_bytes())
    metadata = (f'<metadata><groupId>{group}</groupId><artifactId>{artifact}</artifactId><versioning><latest>{version}</latest>'
                f'<release>{version}</release><versions><version>{version}</version></versions></versioning></metadata>\n')
    put(place.parent / "maven-metadata.xml", metadata.encode())
    print(place)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("maven_repository.py: expected FOLDER POM JAR...")
    main(*sys.argv[1:])
