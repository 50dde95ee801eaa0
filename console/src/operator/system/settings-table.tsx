import { Badge, Table } from '@mantine/core'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { SettingRow } from '../../../../src/console-api/contract.ts'
import { useKnownText } from '../../codes/use-known-text.ts'

/** Effective settings and their sources. The gateway masks secrets. */
export function SettingsTable({ settings }: { settings: readonly SettingRow[] }) {
  const { t } = useTranslation()
  const knownText = useKnownText()
  return (
    <Table
      bg="var(--mantine-color-body)"
      withTableBorder
      fz="sm"
      verticalSpacing={6}
      layout="fixed"
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={{ base: '45%', sm: '40%' }}>{t('system.setting')}</Table.Th>
          <Table.Th>{t('system.value')}</Table.Th>
          <Table.Th w={{ base: 90, sm: 200 }}>{t('system.from')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {settings.map(({ name, text, from }) => (
          <Table.Tr key={name}>
            <Table.Td className="monospace" style={{ overflowWrap: 'anywhere' }}>
              <SettingName name={name} />
            </Table.Td>
            <Table.Td className="monospace" style={{ overflowWrap: 'anywhere' }}>
              {knownText(`setting.${text}`) ?? text}
            </Table.Td>
            <Origin from={from} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** A long name breaks between its words. */
function SettingName({ name }: { name: string }) {
  return name.split(/(?=[A-Z])/).map((word) => (
    <Fragment key={word}>
      {word}
      <wbr />
    </Fragment>
  ))
}

/** Names of variables and flags may be wider than the column, so they wrap. */
function Origin({ from }: { from: string }) {
  const text = useKnownText()(`setting.${from}`)
  if (text === undefined)
    return (
      <Table.Td className="monospace" style={{ overflowWrap: 'anywhere' }}>
        {from}
      </Table.Td>
    )
  return (
    <Table.Td>
      <Badge color={from === 'default' ? 'gray' : 'petrol'}>{text}</Badge>
    </Table.Td>
  )
}
