import { describe, expect, test } from 'bun:test'
import type { ModelRequest, Tool, ToolChoice } from '../../../../src/core/neutral/model-request.ts'
import { fitTools } from '../../../../src/protocols/fit/fit-tools.ts'
import {
  call,
  lenient,
  plainRules,
  requestOf,
  result,
  strict,
  text,
  turn,
} from './build-request.ts'

const richRules = { ...plainRules, takesCustomTools: true, takesNamespaces: true }

function tool(name: string, namespace?: string): Tool {
  return {
    type: 'function',
    name,
    namespace,
    description: undefined,
    schema: undefined,
    isStrict: undefined,
  }
}

function custom(name: string, format?: string, description?: string): Tool {
  return { type: 'custom', name, description, format }
}

function namesOf(request: ModelRequest): string[] {
  return request.tools.map((each) => each.name)
}

function fittedNames(tools: Tool[], rules = plainRules): string[] {
  return namesOf(fitTools(requestOf({ tools }), rules, lenient()).request)
}

describe('fitting tools to an upstream', () => {
  test('tools that fit are returned as the same object, with nothing to restore and no warning', () => {
    const request = requestOf({
      tools: [tool('read_file'), tool('write-file')],
      toolChoice: { type: 'tool', name: 'read_file' },
      turns: [
        turn('user', text('hi')),
        turn('assistant', call('call_1', 'read_file')),
        turn('user', result('call_1', { name: 'read_file' })),
      ],
    })
    const notes = strict()
    const fitted = fitTools(request, plainRules, notes)
    expect(fitted.request).toBe(request)
    expect(fitted.restore.isIdentity).toBe(true)
    expect(notes.warnings).toEqual([])
    const rich = requestOf({ tools: [custom('apply_patch'), tool('search', 'docs')] })
    expect(fitTools(rich, richRules, notes).request).toBe(rich)
  })

  const rows: [string, Tool[], (string | RegExp)[]][] = [
    ['a valid name is unchanged', [tool('search')], ['search']],
    [
      'characters that are not allowed',
      [tool('mcp:docs.search')],
      [/^mcp_docs_search_[0-9a-f]{8}$/],
    ],
    ['characters of other scripts', [tool('天気')], [/^___[0-9a-f]{8}$/]],
    ['an empty name', [tool('')], [/^tool__[0-9a-f]{8}$/]],
    ['one character too long', [tool('n'.repeat(65))], [/^n{55}_[0-9a-f]{8}$/]],
    ['exactly the maximum length', [tool('n'.repeat(64))], ['n'.repeat(64)]],
    ['a namespace', [tool('search', 'docs')], ['docs__search']],
    ['a long namespace', [tool('search', 'd'.repeat(60))], [/^d{55}_[0-9a-f]{8}$/]],
    [
      'a flattened name never takes that of a plain tool',
      [tool('search', 'docs'), tool('docs__search')],
      [/^docs__search_[0-9a-f]{8}$/, 'docs__search'],
    ],
    [
      'two namespaces that flatten to one name',
      [tool('c', 'a__b'), tool('b__c', 'a')],
      ['a__b__c', /^a__b__c_[0-9a-f]{8}$/],
    ],
    [
      'a hosted tool is unchanged',
      [{ type: 'hosted', kind: 'other', name: 'a b', protocol: 'x', json: '{}' }],
      ['a b'],
    ],
  ]
  test.each(rows)('%s', (_, tools, expected) => {
    const names = fittedNames(tools)
    expect(names).toHaveLength(expected.length)
    expected.forEach((each, index) => {
      if (typeof each === 'string') expect(names[index]).toBe(each)
      else expect(names[index]).toMatch(each)
    })
  })

  test('names that differ only in what is lost stay apart, and are the same in every request', () => {
    const tools = [tool('a.b'), tool('a:b'), tool('a b'), tool('a_b')]
    const names = fittedNames(tools)
    expect(new Set(names).size).toBe(4)
    expect(names[3]).toBe('a_b')
    expect(fittedNames([...tools].reverse()).reverse()).toEqual(names)
    expect(fittedNames([tool('a:b')])).toEqual([names[1] ?? ''])
  })

  test('a name that another tool already has is skipped', () => {
    const [hashed = ''] = fittedNames([tool('a.b')])
    const names = fittedNames([tool('a.b'), tool(hashed)])
    expect(names[1]).toBe(hashed)
    expect(names[0]).not.toBe(hashed)
    expect(names[0]).toMatch(/^a_b_[0-9a-f]{8}$/)
  })

  test('a first character that is not allowed to be first', () => {
    const rules = { ...plainRules, namePattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/ }
    expect(fittedNames([tool('9lives')], rules)[0]).toMatch(/^tool_9lives_[0-9a-f]{8}$/)
    expect(fittedNames([tool('a9.b')], rules)).toEqual(['a9.b'])
  })

  test('definitions, choice, history and results name the same tool', () => {
    const request = requestOf({
      tools: [tool('find.it', 'docs'), tool('plain')],
      toolChoice: { type: 'tool', name: 'find.it', namespace: 'docs' },
      turns: [
        turn('assistant', call('c1', 'find.it', { namespace: 'docs' }), call('c2', 'gone.tool')),
        turn(
          'user',
          result('c1', { name: 'find.it' }),
          result('c2'),
          result('c3', { name: 'x.y' }),
        ),
      ],
    })
    const notes = lenient()
    const fitted = fitTools(request, plainRules, notes).request
    const name = namesOf(fitted)[0] ?? ''
    expect(name).toMatch(/^docs__find_it_[0-9a-f]{8}$/)
    expect(fitted.toolChoice).toEqual({ type: 'tool', name, namespace: undefined })
    expect(fitted.turns[0]?.parts[0]).toMatchObject({ id: 'c1', name, namespace: undefined })
    expect(fitted.turns[0]?.parts[1]).toMatchObject({ name: expect.stringMatching(/^gone_tool_/) })
    expect(fitted.turns[1]?.parts[0]).toMatchObject({ callId: 'c1', name })
    expect(fitted.turns[1]?.parts[1]).not.toHaveProperty('name', expect.anything())
    expect(fitted.turns[1]?.parts[2]).toMatchObject({ name: expect.stringMatching(/^x_y_/) })
    expect(notes.warnings).toEqual(['tools_renamed'])
  })

  const choices: [string, ToolChoice, ToolChoice][] = [
    ['auto', { type: 'auto' }, { type: 'auto' }],
    [
      'by name alone',
      { type: 'tool', name: 'search' },
      { type: 'tool', name: 'docs__search', namespace: undefined },
    ],
    [
      'by its flattened name',
      { type: 'tool', name: 'docs__search' },
      { type: 'tool', name: 'docs__search', namespace: undefined },
    ],
    [
      'as allowed tools',
      { type: 'allowed', names: ['search', 'plain'], isRequired: true },
      { type: 'allowed', names: ['docs__search', 'plain'], isRequired: true },
    ],
  ]
  test.each(choices)('the choice of a tool in a namespace: %s', (_, toolChoice, expected) => {
    const tools = [tool('search', 'docs'), tool('plain')]
    const fitted = fitTools(requestOf({ tools, toolChoice }), plainRules, lenient())
    expect(fitted.request.toolChoice).toEqual(expected)
  })

  test('a choice of a tool that does not exist is refused and names its field', () => {
    const toolChoice: ToolChoice = { type: 'tool', name: 'nowhere' }
    for (const tools of [[], [tool('search')], [tool('a.b')]]) {
      const fit = () => fitTools(requestOf({ tools, toolChoice }), plainRules, lenient())
      expect(fit).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          details: { param: 'tool_choice', isUntranslatable: true },
        }),
      )
    }
  })
})

describe('custom tools at an upstream that has none', () => {
  const lark = '{"type":"grammar","syntax":"lark","definition":"start: /.+/"}'
  const nested = '{"type":"grammar","grammar":{"syntax":"regex","definition":"^a$"}}'
  const rows: [string, string | undefined, string | undefined, string][] = [
    ['a tool without a format', undefined, 'Edits.', 'Edits.'],
    ['a tool for plain text', '{"type":"text"}', 'Edits.', 'Edits.'],
    [
      'a tool with a grammar',
      lark,
      'Edits.',
      'Edits.\n\nThe input must match this grammar:\nstart: /.+/\n(syntax: lark)',
    ],
    [
      'a tool with a nested grammar',
      nested,
      undefined,
      'The input must match this grammar:\n^a$\n(syntax: regex)',
    ],
    ['a tool with a format that is not JSON', 'oops', 'Edits.', 'Edits.'],
  ]
  test.each(rows)('%s becomes a function of one string', (_, format, description, expected) => {
    const tools = [custom('apply_patch', format, description)]
    const { request, restore } = fitTools(requestOf({ tools }), plainRules, lenient())
    expect(request.tools).toEqual([
      {
        type: 'function',
        name: 'apply_patch',
        namespace: undefined,
        description: expected,
        schema:
          '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}',
        isStrict: undefined,
      },
    ])
    expect(restore.isIdentity).toBe(false)
    expect(restore.originalOf('apply_patch', undefined)).toMatchObject({ form: 'custom' })
  })

  test('a grammar that is only described gives a warning, and is refused by a strict group; plain text is neither', () => {
    const notes = lenient()
    fitTools(requestOf({ tools: [custom('a', lark)] }), plainRules, notes)
    expect(notes.warnings).toEqual(['tools_grammar_described'])
    expect(() => fitTools(requestOf({ tools: [custom('a', lark)] }), plainRules, strict())).toThrow(
      'tools',
    )
    expect(() => fitTools(requestOf({ tools: [custom('a')] }), plainRules, strict())).not.toThrow()
  })

  test('calls in the history carry their text as JSON, and results are those of a function', () => {
    const patch = '*** Begin "Patch"\n\\ \u2028 😀 {"input":1}'
    const turns = [
      turn('assistant', call('c1', 'apply_patch', { form: 'custom', argumentsText: patch })),
      turn('user', result('c1', { form: 'custom' })),
    ]
    const fitted = fitTools(requestOf({ turns }), plainRules, lenient()).request
    const [made] = fitted.turns[0]?.parts ?? []
    expect(made).toMatchObject({ form: 'function', name: 'apply_patch' })
    expect(JSON.parse(made?.type === 'tool-call' ? made.argumentsText : '')).toEqual({
      input: patch,
    })
    expect(fitted.turns[1]?.parts[0]).toMatchObject({ form: 'function' })
  })

  test('an upstream that has them gets them unchanged, under a valid name', () => {
    const request = requestOf({ tools: [custom('apply.patch', lark, 'Edits.')] })
    const { request: fitted, restore } = fitTools(request, richRules, lenient())
    expect(fitted.tools[0]).toMatchObject({ type: 'custom', format: lark, description: 'Edits.' })
    expect(restore.originalOf(namesOf(fitted)[0] ?? '', undefined)).toMatchObject({
      name: 'apply.patch',
    })
  })
})
