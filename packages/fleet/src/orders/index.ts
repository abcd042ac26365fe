/** What people order of a fleet. Each order leaves an event that says who. */

export { cancel, decide, drain, pause, resume, retry } from './orders.ts'
