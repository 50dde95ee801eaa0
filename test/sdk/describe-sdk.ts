import { describe } from 'bun:test'
import { testAnswers } from './features/answers.ts'
import { testFailures } from './features/failures.ts'
import { testFormats } from './features/formats.ts'
import { testTools } from './features/tools.ts'
import { type Fixture, openFixture } from './fixture.ts'
import type { Sdk } from './sdk.ts'

/** The table of features, each with every upstream protocol. */
export function describeSdk(sdk: Sdk): Fixture {
  const fixture = openFixture(sdk)
  describe(sdk.name, () => {
    describe('answers', () => testAnswers(fixture))
    describe('tools', () => testTools(fixture))
    describe('formats', () => testFormats(fixture))
    describe('failures', () => testFailures(fixture))
  })
  return fixture
}
