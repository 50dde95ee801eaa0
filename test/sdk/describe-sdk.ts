import { describe } from 'bun:test'
import { testAnswers } from './features/answers.ts'
import { testFailures } from './features/failures.ts'
import { testFormats } from './features/formats.ts'
import { testTools } from './features/tools.ts'
import type { Sdk } from './sdk.ts'
import { type Stage, setStage } from './stage.ts'

/** The table of features, each through every protocol that an upstream can speak. */
export function describeSdk(sdk: Sdk): Stage {
  const stage = setStage(sdk)
  describe(sdk.name, () => {
    describe('answers', () => testAnswers(stage))
    describe('tools', () => testTools(stage))
    describe('formats', () => testFormats(stage))
    describe('failures', () => testFailures(stage))
  })
  return stage
}
