import type { RequirementTable } from '../requirement.ts'

/** OpenTelemetry: the journal as spans, live and afterwards. */
export const otel = {
  'otel/ids': 'Ids of traces and spans are made from the execution alone: two exports have the same bytes.',
  'otel/execution-id':
    'An execution keeps its id when it is moved or renamed; one with an origin has the id of that.',
  'otel/spans': 'Runs, attempts, turns, tools, rigs, sentinels and rollbacks are spans below their run.',
  'otel/prefix': 'The spans of a shorter journal are the first spans of a longer one, at every event.',
  'otel/whole-tree': 'No span has a parent that is not there, after rollbacks, kills and resumes.',
  'otel/sums': 'Tokens and dollars of spans add up to what weave report --costs says, to the last digit.',
  'otel/crash': 'What a crash left open ends with the last sign of life, as an error of the type crashed.',
  'otel/old-journals':
    'Journals without the newer fields give the same kinds of spans, with times derived from events.',
  'otel/names': 'Spans follow the vocabulary that was chosen, and say which by their schema address.',
  'otel/content-none':
    'Prompts, messages, tool arguments and results are in no span unless content was asked for.',
  'otel/content-levels':
    'Content tools adds arguments and results of tools, content all also prompts and messages.',
  'otel/limits':
    'Texts in spans are cut to 4 KiB, content to 64 KiB each, messages of errors to 256 characters.',
  'otel/secrets': 'No secret is in a span, at any level of content.',
  'otel/header-secrets': 'The headers for a collector are secrets as a whole and one by one.',
  'otel/export-file': 'Weave export --otlp --file writes one request as JSON in every line, - prints them.',
  'otel/json-bytes': "The JSON of spans is that of OpenTelemetry's own encoder, to the byte.",
  'otel/quick-lines':
    'Lines that a reader takes by their form give it what the parser says; all others go through the parser.',
  'otel/export-post': 'Weave export --otlp posts to the collector, and says how many spans of how many runs.',
  'otel/export-refused': 'A collector that refuses fails the export with what it answered; exit code 1.',
  'otel/export-no-address':
    'Without an address and a file the export ends with exit code 2 and names the variable.',
  'otel/export-one-run':
    'Weave export --run sends the spans of one run only, and lists the runs when there is no such.',
  'otel/events':
    'Tool calls carry the id of their result, turns when they began, sentinel outputs how long they took, and the operations of rigs end with an event.',
  'otel/switch':
    'Spans are sent only when a flag, a variable, weave.json or OTEL_TRACES_EXPORTER asks for it, in this order; OTEL_SDK_DISABLED and the exporter none win over all.',
  'otel/grpc':
    'The protocol grpc is an error that says what to set instead; plain http to another machine is a warning.',
  'otel/agents-without-headers':
    'The headers for a collector do not reach agents while spans are sent, unless the codon sets them.',
  'otel/started-by':
    'A run links to the run that it continues, and to the span of the program that started it.',
  'otel/sampler': 'A trace is sent as OTEL_TRACES_SAMPLER says; a sampler that is not built in is warned of.',
  'otel/live':
    'A run that sends spans has sent all of them when it ends, with the ids of an export afterwards.',
  'otel/live-resume': 'Spans that no collector has taken are sent by the next start.',
  'otel/live-trouble':
    'Collectors that are gone, silent, refusing or failing neither fail nor delay a run, and its end by five seconds at most.',
  'otel/live-metrics':
    'Tokens and durations are sent as metrics with the buckets of the conventions, unless they are off.',
  'otel/off-loads-nothing': 'Nothing of what sends spans is loaded while it is off.',
  'otel/traceparent':
    'Agents and commands of rigs and outputs get the span of their attempt as TRACEPARENT, and neither TRACESTATE nor BAGGAGE of outside; what the codon sets wins.',
  'otel/doctor': 'Weave doctor tries the collector when spans would be sent.',
  'otel/switch-shown': 'Weave validate --verbose shows the settings of OpenTelemetry with who set them.',
} as const satisfies RequirementTable
