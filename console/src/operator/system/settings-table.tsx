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
            <Table.Td>
              <Badge color={from === 'default' ? 'gray' : 'petrol'}>
                {knownText(`setting.${from}`) ?? from}
              </Badge>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
