/** From a hank and data sets to a batch. */

export { type DataSet, type Submission, type Weighed, weigh } from './submission.ts'
export { type Submitted, submit } from './submit.ts'
