import { describe, expect, test } from 'bun:test'
import { chooseTools } from '../../../src/demo/upstream/choose-tools.ts'
import type { DemoToolChoice, Question } from '../../../src/demo/upstream/demo-protocol.ts'

const tools = [
  { name: 'get_weather', description: 'Looks up a forecast for a place', schema: {} },
  { name: 'readFile', description: 'Reads a document from disk', schema: {} },
  { name: 'bash', description: 'Runs a command', schema: {} },
]

interface ChoiceCase {
  readonly prompt: string
  readonly chosen: readonly string[]
  readonly toolChoice?: DemoToolChoice
  readonly parallelToolCalls?: boolean
}

const cases: readonly ChoiceCase[] = [
  { prompt: 'Hello there, who are you?', chosen: [] },
  { prompt: 'please run get_weather', chosen: ['get_weather'] },
  { prompt: 'Get weather, then read file', chosen: ['get_weather', 'readFile'] },
  { prompt: 'GET_WEATHER and bash!', chosen: ['get_weather', 'bash'] },
  { prompt: 'bash and get_weather', chosen: ['get_weather'], parallelToolCalls: false },
  { prompt: 'What is the weather like?', chosen: ['get_weather'] },
  { prompt: 'I need a forecast', chosen: ['get_weather'] },
  { prompt: 'Use the tool, please', chosen: ['get_weather'] },
  { prompt: 'the bashful one', chosen: [] },
  { prompt: 'run get_weather', chosen: [], toolChoice: { mode: 'none' } },
  { prompt: 'Hello', chosen: ['get_weather'], toolChoice: { mode: 'required' } },
  { prompt: 'bash it', chosen: ['bash'], toolChoice: { mode: 'required' } },
  {
    prompt: 'bash it',
    chosen: ['readFile'],
    toolChoice: { mode: 'required', names: ['readFile'] },
  },
  { prompt: 'bash it', chosen: [], toolChoice: { mode: 'auto', names: ['readFile'] } },
  { prompt: 'Hello', chosen: [], toolChoice: { mode: 'required', names: ['missing'] } },
]

describe('the tools that a prompt calls', () => {
  test.each(cases)('$prompt → $chosen', ({ prompt, chosen, toolChoice, parallelToolCalls }) => {
    const question: Question = {
      model: 'm',
      turns: [{ role: 'user', text: prompt }],
      tools,
      toolChoice: toolChoice ?? { mode: 'auto' },
      parallelToolCalls: parallelToolCalls ?? true,
      structure: 'text',
      reasoning: false,
      outputTokensMax: undefined,
      stream: false,
    }
    expect(chooseTools(question, prompt).map(({ name }) => name)).toEqual([...chosen])
  })
})
