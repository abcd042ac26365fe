/** How a worker and its fleet stand, in numbers, for whoever scrapes them. */

export { type MetricsAddress, metricsAddress } from './address.ts'
export { type MetricsDoor, openMetricsDoor } from './door.ts'
export { createFigureReader } from './figures.ts'
export { pageOf, type Series, seriesOf, type WorkerFigures } from './series.ts'
export { type Counter, createCounter } from './tally.ts'
