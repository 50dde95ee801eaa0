import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRow } from '../../../../src/console-api/contract.ts'
import { changedFields } from './changed-fields.ts'

/** What a change has touched, before and after. Secrets are masked before they come here. */
export function ChangeTable({ row }: { row: AuditRow }) {
  const { t } = useTranslation()
  const fields = changedFields(row.before, row.after)
  if (fields.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('audit.noFields')}
      </Text>
    )
  }
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
          <Table.Th w="28%">{t('audit.field')}</Table.Th>
          <Table.Th>{t('audit.before')}</Table.Th>
          <Table.Th>{t('audit.after')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => (
          <Table.Tr key={field.path}>
            <Table.Td className="monospace" style={{ overflowWrap: 'anywhere' }}>
              {field.path}
            </Table.Td>
            <Side text={field.before} className="changed-before" />
            <Side text={field.after} className="changed-after" />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Side({ text, className }: { text: string | undefined; className: string }) {
  return (
    <Table.Td
      className={text === undefined ? 'monospace' : `monospace ${className}`}
      style={{ overflowWrap: 'anywhere' }}
    >
      {text ?? '—'}
    </Table.Td>
  )
}
