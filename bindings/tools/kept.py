"""What never changes while its object lives. Java and C# ask for it once and keep it, so that a property
costs a field then."""

# class -> property -> its type: int32, uint64, size, text, bool, or an enum by its name.
KEPT = {
    'Device': {'ordinal': 'int32', 'name': 'text', 'arch': 'text', 'pci_bus_id': 'text', 'is_emulated': 'bool'},
    'Stream': {'native': 'uint64'},
    'Event': {'has_timing': 'bool', 'native': 'uint64'},
    'Buffer': {'address': 'uint64', 'host_pointer': 'uint64', 'size': 'size', 'native': 'uint64'},
    'Program': {'backend': 'Backend'},
    'ObjectCode': {'type': 'CodeType', 'name': 'text', 'arch': 'text', 'log': 'text', 'symbol_count': 'size',
                   'image_count': 'size', 'signature_key': 'text', 'signature': 'SignatureState', 'native': 'uint64'},
    'Queue': {'descriptor': 'int32'},
    'Cache': {'directory': 'text'},
    'Future': {'token': 'uint64'},
    'Kernel': {'name': 'text', 'native': 'uint64', 'parameter_count': 'size'},
}


def type_of(member, types):
    """A member's type by a language's names for these, or None if it is not kept."""
    kind = KEPT.get(member.owner, {}).get(member.name) if member.kind == 'property' else None
    return types.get(kind, kind)
