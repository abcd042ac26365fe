import { findDeadReferences } from './docs.mjs'
import { readRepository, readRules, report } from './repository.mjs'

report('documentation', findDeadReferences(readRepository(), readRules()))
