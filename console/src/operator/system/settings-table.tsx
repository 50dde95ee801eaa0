import { Badge, Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SettingRow } from '../../../../src/console-api/contract.ts'
import { useKnownText } from '../../codes/use-known-text.ts'

/** The settings in force, and where each comes from. Secrets are masked before they come here. */
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
          <Table.Th>{t('system.setting')}</Table.Th>
          <Table.Th>{t('system.value')}</Table.Th>
          <Table.Th w={120}>{t('system.from')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {settings.map(({ name, text, from }) => (
          <Table.Tr key={name}>
            <Table.Td className="monospace" style={{ overflowWrap: 'anywhere' }}>
              {name}
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

/** A variable or a flag is told by its name, which may be longer than its column. */
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
