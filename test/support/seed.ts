import * as fc from 'fast-check'
import { proofSeed } from './proof.ts'

// With `npm run proof:*`: everything that is drawn by lot is drawn from the seed that a failure prints.
if (proofSeed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: proofSeed })
