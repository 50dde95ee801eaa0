import { describe, expect, test } from 'bun:test'
import { MantineProvider } from '@mantine/core'
import { createInstance } from 'i18next'
import { createElement, type FunctionComponent } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { z } from 'zod'
import { emptyKey, settingsOf, valuesOf } from '../../../console/src/keys/key-form-values.ts'
import { definedOptions, readOptions } from '../../../src/cli/defined-options.ts'
import { definedEntry } from '../../../src/config/defined-entry.ts'
import { describeOperation } from '../../../src/console-api/admin/describe-operation.ts'
import { keyRowOf } from '../../../src/console-api/contract/keys.ts'
import { readInput } from '../../../src/console-api/http/read-input.ts'
import {
  complete,
  define,
  editSchema,
  newSchema,
  optional,
  putSchema,
  toWire,
  type ValuesOf,
} from '../../../src/fields/definition.ts'
import { problemOf } from '../../../src/fields/find-problem.ts'
import { enumKind, orNull } from '../../../src/fields/kind.ts'
import { idKind } from '../../../src/fields/kinds.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { settingColumns } from '../../../src/keys/setting-columns.ts'
import type { StoredFieldsFor } from '../../../src/store/rows/stored-fields.ts'
import type { ApiKeyTable } from '../../../src/store/tables/key-tables.ts'

/** A key with an imaginary restriction, which every reader of definitions must use. */
const imagined = define('key', {
  ...keyDefinition.fields,
  region: optional(orNull(enumKind(['eu', 'us'])), null, {
    about: 'Where it may be served; not given: anywhere.',
    by: 'owner',
  }),
})
const secrets = { read: (text: string) => ({ value: text }), hasSeenLiteral: false }
// A name that the compiler does not follow: these tests are compiled without the browser's types.
const formFile: string = '../../../console/src/keys/key-form.tsx'
const least = { accountId: 'acme', name: 'laptop' }

describe('a field that is added to a definition is', () => {
  test('in the file', () => {
    const entry = definedEntry(imagined, { id: idKind.written }, secrets)
    const written = { id: 'k', account: 'acme', name: 'laptop', region: 'eu' }
    expect(entry.parse(written)).toMatchObject({ accountId: 'acme', region: 'eu' })
    expect(entry.parse({ ...written, region: 'none' })).toMatchObject({ region: null })
    const wrong = entry.safeParse({ ...written, region: 'moon' })
    expect(wrong.error?.issues.map(problemOf)).toEqual([
      { path: ['region'], problem: 'word_wrong', values: { words: 'eu, us' } },
    ])
  })

  test('on the command line', () => {
    expect(definedOptions(imagined)['region']).toEqual({
      kind: 'text',
      placeholder: 'eu|us',
      description: 'Where it may be served; not given: anywhere.',
    })
    const typed = new Map([
      ['account', 'acme'],
      ['name', 'laptop'],
      ['region', 'us'],
    ])
    const call = { text: (name: string) => typed.get(name), list: () => undefined } as never
    expect(readOptions(imagined, 'keys create', call)).toEqual({ ...least, region: 'us' })
    typed.set('region', 'moon')
    expect(() => readOptions(imagined, 'keys create', call)).toThrow(
      '--region must be one of eu, us, not "moon".',
    )
  })

  test('in requests and answers', () => {
    const made = newSchema(imagined).parse({ ...least, region: 'eu' })
    expect(made.region).toBe('eu')
    expect(newSchema(imagined).parse(least).region).toBeNull()
    expect(editSchema(imagined).parse({ region: null })).toEqual({ region: null })
    expect(toWire(imagined, made)).toMatchObject({ region: 'eu' })
    expect(newSchema(imagined).safeParse({ ...least, region: 'moon' }).success).toBe(false)
    expect(newSchema(keyDefinition).safeParse({ ...least, region: 'eu' }).success).toBe(false)
  })

  test('in the description of the API', () => {
    const { properties, required } = z.toJSONSchema(newSchema(imagined), { io: 'input' })
    expect(properties?.['region']).toEqual({
      description: 'Where it may be served; not given: anywhere.',
      default: null,
      anyOf: [{ type: 'string', enum: ['eu', 'us'] }, { type: 'null' }],
    })
    expect(required).toEqual(['accountId', 'name'])
  })

  const region = 'Where it may be served; not given: anywhere.'
  const bodies = [
    ['POST', '/keys', newSchema(imagined), least],
    ['PUT', '/keys/{id}', putSchema(imagined), least],
    ['PATCH', '/keys/{id}', editSchema(imagined), {}],
  ] as const
  test.each(bodies)('in the admin API: %s %s', (method, path, body, others) => {
    const route = {
      who: 'member',
      owns: 'body-account',
      summary: '',
      method,
      path,
      body,
      answer: keyRowOf(imagined),
      run: () => Promise.reject(new Error('it is never called')),
    } as const
    // Parsed like a body of the API.
    const sent = readInput(body, { ...others, region: 'eu' }, 'body')
    expect(sent).toMatchObject({ region: 'eu' })
    expect(() => readInput(body, { ...others, region: 'moon' }, 'body')).toThrow(
      'region must be one of eu, us.',
    )
    // As in the API description.
    const refer = (shape: z.ZodType) => z.toJSONSchema(shape, { io: 'input' })
    const described = describeOperation(route, path, refer) as never as {
      requestBody: { content: Record<string, { schema: { properties: object } }> }
      responses: Record<string, { content: Record<string, { schema: { properties: object } }> }>
    }
    expect(described.requestBody.content['application/json']?.schema.properties).toMatchObject({
      region: { description: region },
    })
    expect(described.responses['200']?.content['application/json']?.schema).toMatchObject({
      properties: { region: { description: region } },
      required: expect.arrayContaining(['region']),
    })
  })

  test('in the form of the console', async () => {
    await createInstance().use(initReactI18next).init({ lng: 'en', resources: {} })
    const { KeyForm } = (await import(formFile)) as {
      KeyForm: FunctionComponent<Record<string, unknown>>
    }
    const options = {
      groups: [],
      models: [],
      mayOwn: true,
      yourAddress: '127.0.0.1',
      endpoints: [],
    }
    const nothing = () => undefined
    const form = createElement(KeyForm, {
      definition: imagined,
      options,
      submitLabel: 'Save',
      onSave: () => Promise.resolve(undefined),
      onSaved: nothing,
      onCancel: nothing,
    })
    const page = renderToStaticMarkup(createElement(MantineProvider, null, form))
    expect(page).toContain('Where it may be served; not given: anywhere.')
    const values = { ...emptyKey(['default'], imagined), name: 'laptop', others: { region: 'eu' } }
    expect(settingsOf(values, 0, imagined)).toMatchObject({ name: 'laptop', region: 'eu' })
    const sent = settingsOf({ ...values, others: { region: '' } }, 0, imagined)
    expect(sent).toMatchObject({ region: null })
    const row = { ...toWire(imagined, complete(imagined, { ...least, region: 'us' })) } as never
    expect(valuesOf(row, ['default'], imagined).others).toMatchObject({ region: 'us' })
  })

  test('needed in the store: without a column it does not compile', () => {
    // @ts-expect-error there is no column for the region
    const kept: StoredFieldsFor<ValuesOf<typeof imagined>, ApiKeyTable> = settingColumns
    expect(Object.keys(kept)).toEqual(Object.keys(keyDefinition.fields))
  })
})
