import { findViolations } from './layers.mjs'
import { readRepository, readRules, report } from './repository.mjs'

report('layer', findViolations(readRepository(), readRules()))
