/**
 * The LLM proxy: a pane of glass between agents and the upstream model API.
 *
 * Owns its port on loopback (`node:http` towards agents, `undici` towards the upstream), the five steps with their
 * middleware, and what can be learnt of an exchange by observing it. It forwards to one address and changes nothing. It
 * does not know what a codon or a run is, holds no key, keeps no answer, and decides nothing about the run.
 *
 * The gateway is another door in the same walls: it leads to many providers, and asks its seat about every request.
 *
 * Two seams: `observe` hears of every exchange without a part in it, and a `transport` of another kind answers in place of
 * the upstream. In `recording` both are used, when a person asks for it: the one to write down what passes, the other to
 * answer with what was written down.
 */

export type { Asked } from './gateway/asked.ts'
export { type Gateway, type GatewayOptions, startGateway } from './gateway/gateway.ts'
export type { GatewayAnswer, GatewaySeat, GatewayWord } from './gateway/seat.ts'
export { type Meter, type MeterOptions, type OpenMeter, startMeter } from './metering/meter.ts'
export type { MeteredAnswer, MeteredFailure } from './metering/metered-exchange.ts'
export { type ProxyOptions, type RunningProxy, type StartedProxy, startProxy, tryPort } from './proxy.ts'
export { type CodonMark, claimRecording } from './recording/recording-files.ts'
export { openReplay, type Replay } from './recording/replay.ts'
export { openTraffic, type TrafficSetup } from './recording/traffic.ts'
export { openRequestLog, type RequestLog, type RequestLogOptions } from './request-log.ts'
export { type RequestRecord, type RequestRecorderOptions, recordRequests } from './request-record.ts'
export type {
  ExchangeEnding,
  ExchangeObserver,
  Observe,
  OutgoingRequest,
  ResponseHandler,
  RunningRequest,
  Transport,
} from './transport.ts'
export { namedCertificates } from './upstream/connector.ts'
export { defaultUpstream, outboundProxy, readUpstream } from './upstream/upstream-address.ts'
