import { describe, expect, test } from 'bun:test'
import { vendors } from '../../../src/vendors/index.ts'
import { readDocument, sectionOf, tableRows } from './table-rows.ts'

const document = readDocument('docs/vendors.md')
const names = [...vendors.keys()].toSorted()

describe('the vendors in the documents', () => {
  const rows = tableRows(sectionOf(document, '# Vendors'))

  test.each([...vendors.values()])(
    'docs/vendors.md: the protocols and the base URL of $name',
    (vendor) => {
      const [protocolCell = '', urlCell = ''] = rows.get(vendor.name) ?? []
      for (const protocol of vendor.protocols) expect(protocolCell).toContain(`\`${protocol}\``)
      expect(urlCell.split(':')[0]?.split(',')[0]).toBe(
        vendor.baseUrl ? 'default `https' : 'required',
      )
      if (vendor.baseUrl) expect(urlCell).toContain(vendor.baseUrl)
    },
  )

  test.each([...vendors.values()])(
    'docs/vendors.md: what the gateway does when a client of $name disconnects',
    (vendor) => {
      const disconnects = tableRows(sectionOf(document, '## When the client disconnects'))
      const expected = vendor.billsAbortedStreams
        ? 'reads on for at most 30 s'
        : 'aborts within 1 s'
      expect(disconnects.get(vendor.name)?.[1]).toBe(expected)
      expect([...disconnects.keys()].toSorted()).toEqual(names)
    },
  )

  test('docs/vendors.md describes no vendor that does not exist', () => {
    expect([...rows.keys()].toSorted()).toEqual(names)
  })

  test('the example of the README names every vendor', () => {
    const [, named = '', others = ''] =
      /^ *vendor: ([\w-]+) # also (.+)$/m.exec(readDocument('README.md')) ?? []
    expect([named, ...others.split(', ')].toSorted()).toEqual(names)
  })

  test('docs/configuration.md lists every vendor', () => {
    const fields = tableRows(
      sectionOf(readDocument('docs/configuration.md'), '### provision.upstreams'),
    )
    const listed = [...(fields.get('vendor')?.[1] ?? '').matchAll(/`([\w-]+)`/g)].map(
      ([, name = '']) => name,
    )
    expect(listed.toSorted()).toEqual(names)
  })
})
