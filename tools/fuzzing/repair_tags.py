"""Repairs If-Match and If-None-Match in requests that are meant to have valid headers.

In its coverage phase, Schemathesis 4.32.5 writes only letters and digits into headers. An entity tag needs quotation
marks, so it sends `If-Match: 0`, which does not match the API description, and calls it valid. Without the repair, such
a request says nothing about the rest of it. Invalid tags that Schemathesis sends on purpose stay as they are.
"""

import re

import schemathesis
from schemathesis.core.parameters import ParameterLocation

VALID = {"If-Match": "*", "If-None-Match": '"none"'}


def is_meant_invalid(meta):
    """Whether Schemathesis has put something invalid into the headers on purpose."""
    if meta.generation.mode.is_positive:
        return False
    place = getattr(meta.phase.data, "parameter_location", None)
    return place == ParameterLocation.HEADER or (place is None and meta.is_negative_at(ParameterLocation.HEADER))


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or is_meant_invalid(case.meta):
        return
    for parameter in case.operation.headers:
        value = (case.headers or {}).get(parameter.name)
        if parameter.name not in VALID or value is None:
            continue
        pattern = parameter.definition["schema"]["pattern"]
        if not re.search(pattern, str(value)):
            case.headers[parameter.name] = VALID[parameter.name]
