/** The pages of a fleet, fetched together when one of them is first shown. */
export { BatchPage } from './batch-page.tsx'
export { FleetPage } from './fleet-page.tsx'
