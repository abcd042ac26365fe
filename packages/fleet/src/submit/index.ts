/** From a hank and data sets to a batch. */

export { type Submission, type Submitted, submit } from './submit.ts'
