"""Decodes OTLP requests with Google's own decoder, by the messages that the OpenTelemetry project publishes.

Reads JSON lines from stdin: {"kind": "traces" | "metrics", "encoding": "protobuf" | "json", "body": "<base64>"}, and
prints what each holds as one JSON line in the project's own mapping. A field that is in none of the messages is an error.
The descriptions of the messages in otlp-messages.txt are those of the package opentelemetry-proto 1.45.0 (Apache-2.0).
"""

import base64
import json
import pathlib
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

SERVICES = "opentelemetry.proto.collector"
KINDS = {
    "traces": f"{SERVICES}.trace.v1.ExportTraceServiceRequest",
    "metrics": f"{SERVICES}.metrics.v1.ExportMetricsServiceRequest",
}
IDS = {"traceId", "spanId", "parentSpanId"}


def known_messages():
    text = pathlib.Path(__file__).with_name("otlp-messages.txt").read_text()
    files = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(text))
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.AddSerializedFile(file.SerializeToString())
    return {kind: message_class(pool, name) for kind, name in KINDS.items()}


def message_class(pool, name):
    described = pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(described)
    return message_factory.MessageFactory(pool).GetPrototype(described)


def in_base64(value):
    """OTLP writes ids in hexadecimal digits, where the mapping of Protobuf has base64."""
    if isinstance(value, list):
        return [in_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(item)).decode() if key in IDS and isinstance(item, str) else in_base64(item)
        for key, item in value.items()
    }


def in_hex(value):
    if isinstance(value, list):
        return [in_hex(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(item).hex() if key in IDS and isinstance(item, str) else in_hex(item)
        for key, item in value.items()
    }


def decoded(messages, given):
    body = base64.b64decode(given["body"])
    message = messages[given["kind"]]()
    if given["encoding"] == "json":
        json_format.ParseDict(in_base64(json.loads(body)), message)
    else:
        message.ParseFromString(body)
    return in_hex(json_format.MessageToDict(message))


MESSAGES = known_messages()
for line in sys.stdin:
    print(json.dumps(decoded(MESSAGES, json.loads(line))))
