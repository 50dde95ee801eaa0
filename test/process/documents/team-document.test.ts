import { expect, test } from 'bun:test'
import { loadConfig } from '../../../src/config.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { readDocument, testCommandsOf } from './document-steps.ts'

const document = 'team.md'

testCommandsOf(document)

test('every configuration of docs/team.md is valid', () => {
  const blocks = [...readDocument(document).matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
  expect(blocks).toHaveLength(2)
  const env = { OPENID_SECRET: 'a secret', SLACK_URL: 'https://hooks.example.com/team' }
  for (const [, text = ''] of blocks) {
    const read = () => loadConfig({ vendors, env, cwd: '.', readFile: () => text })
    expect(read).not.toThrow()
  }
})
