import type { RequirementTable } from '../requirement.ts'

/** Rules of parts 4.1 and 4.2: the WebSocket endpoint and the LLM proxy. */
export const endpoints = {
  // 4.1 WebSocket endpoint
  '4.1/one-endpoint': 'The WebSocket API is served at `ws://localhost:<port>`.',
  '4.1/json-text-frames': 'Every message is one JSON text frame.',
  '4.1/command-enum':
    'The 13 client commands are `codon.start`, `codon.next`, `codon.skip`, `codon.redo`, `codon.forceStop`, `checkpoint.list`, `rollback.toCheckpoint`, `rollback.toCodon`, `rollback.toLastSuccess`, `server.shutdown`, `ping`, `ping.broadcast` and `history.sync`.',
  '4.1/event-count': 'The protocol has exactly 27 server events.',
  '4.1/command-envelope': 'Every command is sent in the `ClientCommand` envelope.',
  '4.1/handshake-mode-required': 'A `handshake` without `mode` is not accepted.',
  '4.1/handshake-mode-enum': 'The handshake `mode` is `readonly` or `readandwrite`.',
  '4.1/handshake-send-previous-events-default': '`sendPreviousEvents` is a boolean that defaults to false.',
  '4.1/handshake-response': 'The server answers the handshake with `handshake.response`.',
  '4.1/handshake-response-client-id':
    '`handshake.response` carries a `clientId` string chosen by the server.',
  '4.1/handshake-response-mode': '`handshake.response` carries the granted `mode`.',
  '4.1/handshake-response-no-event-history': '`eventHistory` is absent when the client did not ask for it.',
  '4.1/handshake-response-total-events':
    '`totalEvents` is the number of events in the journal that this client can get.',
  '4.1/codon-start': '`codon.start` takes a string `codonId` and starts that codon.',
  '4.1/codon-start-skip-pre-commands':
    '`codon.start` takes an optional boolean `skipPreCommands`, false by default.',
  '4.1/codon-next': '`codon.next` takes no data and starts the next codon of the plan.',
  '4.1/codon-skip': '`codon.skip` takes no data and skips the running codon.',
  '4.1/codon-redo': '`codon.redo` takes no data and repeats the last completed or failed codon.',
  '4.1/codon-force-stop':
    '`codon.forceStop` takes an optional string `reason` and terminates the current codon.',
  '4.1/checkpoint-list':
    '`checkpoint.list` takes a string `runId` and is answered by the event `checkpoint.list`.',
  '4.1/rollback-to-checkpoint':
    '`rollback.toCheckpoint` takes a string `checkpointSha` and restores that checkpoint.',
  '4.1/rollback-to-checkpoint-auto-restart':
    '`rollback.toCheckpoint` takes an optional boolean `autoRestart`, false by default.',
  '4.1/rollback-to-codon':
    '`rollback.toCodon` takes the strings `codonId` and `checkpointType` and restores that checkpoint of the codon.',
  '4.1/rollback-to-codon-checkpoint-type-enum':
    'The `checkpointType` of `rollback.toCodon` is `rig-setup`, `completed`, `error`, `skipped`, `start` or `end`.',
  '4.1/rollback-to-codon-auto-restart':
    '`rollback.toCodon` takes an optional boolean `autoRestart`, false by default.',
  '4.1/rollback-to-last-success':
    '`rollback.toLastSuccess` restores the codon that last completed with success.',
  '4.1/rollback-to-last-success-auto-restart':
    '`rollback.toLastSuccess` takes an optional boolean `autoRestart`, false by default.',
  '4.1/server-shutdown': '`server.shutdown` takes an optional string `reason` and shuts down gracefully.',
  '4.1/ping': '`ping` takes no data and is answered by a `pong` to the sender only.',
  '4.1/ping-broadcast': '`ping.broadcast` takes no data and sends every client a `pong` with `clientId`.',
  '4.1/history-sync':
    '`history.sync` takes no data and returns everything of the journal that this client may see in `history.batch` events.',
  '4.1/history-sync-has-more': '`hasMore` is true in every batch but the last.',

  // 4.2 LLM proxy HTTP endpoints
  '4.2/health':
    'GET `/health` answers with status 200, content type `text/plain` and the body `Weave Proxy OK`.',
  '4.2/health-bypasses-middleware': 'GET `/health` passes through no middleware.',
  '4.2/root-same-as-health': 'GET `/` answers exactly as `/health` does.',
  '4.2/forwards-everything-else':
    'Any method on any other path and query is forwarded to the upstream address plus that path.',
  '4.2/returns-upstream-response': 'The response of the upstream comes back to the caller.',
  '4.2/pipeline-order':
    'The steps run in the order extract, request middleware, serialize, transport, response middleware.',
  '4.2/pipeline-extract': 'The first step takes headers and body and tries to read a messages-API request.',
  '4.2/pipeline-parse-failure': 'A body that cannot be parsed gives a debug log and is forwarded raw.',
  '4.2/pipeline-request-middleware-order': 'Request middleware is applied in the order of registration.',
  '4.2/pipeline-request-middleware-arguments':
    'Request middleware receives the request without `body`, and the body as a separate argument.',
  '4.2/pipeline-request-middleware-changes':
    'Request middleware changes what is sent by changing the structured request data.',
  '4.2/pipeline-serialize-structured':
    'Structured request data that a middleware changed is serialized back into the body; unchanged data goes up as the bytes of the caller.',
  '4.2/pipeline-keep-original-body': 'Without structured request data the original body is forwarded.',
  '4.2/pipeline-host-rewritten': 'The `Host` header is rewritten for the target host.',
  '4.2/pipeline-content-length':
    '`Content-Length` is removed so that it is computed again for the final body.',
  '4.2/pipeline-response-middleware-order':
    'Response middleware is applied in order before the response is returned.',
  '4.2/stream-event-stream': 'A `text/event-stream` response is forwarded as a stream.',
  '4.2/stream-chunked': 'A response with chunked transfer is forwarded as a stream.',
  '4.2/stream-consumed-by-reader': 'Middleware that reads a streamed response uses the stream up.',
  '4.2/default-middleware': 'Exactly one middleware is installed, and it logs.',
  '4.2/log-method-and-url': 'The logging middleware logs method and URL of a request.',
  '4.2/log-messages-request':
    'For a messages-API request the log holds `model`, `messages`, `max_tokens` and `stream`.',
  '4.2/log-other-body': 'Any other body is logged up to 500 characters.',
  '4.2/log-response-status': 'The logging middleware logs the response status.',
  '4.2/log-file': 'Proxy logs go to `.weave/logs/server.log` in the execution directory.',
  '4.2/log-tags':
    'Proxy log lines carry the tags `[LLM-PROXY]`, `[PROXY-HTTP-TRANSPORT]` or `[LOGGING-MIDDLEWARE]`.',
  '4.2/no-middleware-registration':
    'Users cannot register middleware by API, configuration key or plugin path.',
  '4.2/demonstration-middleware':
    'The middleware that doubles `max_tokens` exists in the source and is not installed.',
  '4.2/enabled-by-flag': '`--proxy` enables the proxy.',
  '4.2/without-proxy-flag': '`--without-proxy` sets `withoutProxy` to true.',
  '4.2/without-proxy-flag-not-in-help': '`--without-proxy` is not listed in the help text.',
  '4.2/starts-after-websocket': 'The proxy starts after the WebSocket server is bound.',
  '4.2/preferred-port': 'The proxy first tries the actual WebSocket port plus one.',
  '4.2/port-in-use':
    'When the preferred port is in use the proxy takes a port chosen by the operating system.',
  '4.2/startup-box': 'Startup prints a box containing `Proxy: http://localhost:<proxy_port>`.',
  '4.2/startup-lock-file': 'Startup writes `proxyPort` into the execution lock file.',
  '4.2/startup-server-ready': 'With the proxy running, `server.ready` carries `proxyPort`.',
  '4.2/stops-with-server': 'The proxy stops when the server shuts down.',
  '4.2/no-idle-timeout': 'The proxy never closes a connection for being idle.',
  '4.2/idle-timeout-flag-not-passed': 'The value of `--idle-timeout` does not reach the proxy.',
  '4.2/upstream-default': 'Without a setting the proxy forwards to the default upstream address.',
  '4.2/upstream-from-flag': '`--vendor-base-url` sets the upstream address.',
  '4.2/upstream-does-not-enable': 'Setting an upstream address does not enable the proxy.',
  '4.2/upstream-flag-unused-without-proxy':
    'With the proxy off `--vendor-base-url` has no effect on codon traffic.',
  '4.2/sdk-harness-uses-proxy':
    'With the proxy running, SDK-harness codons get `VENDOR_BASE_URL` set to the proxy address.',
  '4.2/sdk-harness-overrides-ambient':
    'The proxy address replaces a `VENDOR_BASE_URL` from the surrounding environment.',
  '4.2/embedded-harness-bypasses': 'Codons on the embedded-SDK harness bypass the proxy.',
  '4.2/sentinel-calls-bypass':
    'Sentinel model calls bypass the proxy and use the default endpoint of their SDK.',
  '4.2/self-tests-bypass': 'Codon self-tests bypass the proxy.',
  '4.2/ambient-base-url-without-proxy':
    'With the proxy off a surrounding `VENDOR_BASE_URL` reaches the SDK harness unchanged.',
  '4.2/flags':
    'The command line accepts `--proxy`, `--without-proxy`, `--vendor-base-url`, `--idle-timeout`, `--validate`, `--overwrite-output`, `--max-cost`, `--max-time`, `--port` and `--model`.',
} as const satisfies RequirementTable
