"""Decodes OTLP requests with the messages that the OpenTelemetry project generates for Python.

Reads JSON lines from stdin: {"kind": "traces" | "metrics", "encoding": "protobuf" | "json", "body": "<base64>"}, and
prints what each holds as one JSON line in the project's own mapping. Needs the package opentelemetry-proto.
"""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

KINDS = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest}
IDS = {"traceId", "spanId", "parentSpanId"}


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


for line in sys.stdin:
    given = json.loads(line)
    body = base64.b64decode(given["body"])
    message = KINDS[given["kind"]]()
    if given["encoding"] == "json":
        json_format.ParseDict(in_base64(json.loads(body)), message)
    else:
        message.ParseFromString(body)
    print(json.dumps(in_hex(json_format.MessageToDict(message))))
