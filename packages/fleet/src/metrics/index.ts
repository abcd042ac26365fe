/** How a worker and its fleet stand, in numbers, for whoever scrapes them. */

export { metricsAddress } from './address.ts'
export { type MetricsDoor, openMetricsDoor } from './door.ts'
export { createFigureReader } from './figures.ts'
export { pageOf, readingsOf, seriesOf, type WorkerFigures } from './series.ts'
export { createCounter } from './tally.ts'
