import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditRow } from '../../../../src/console-api/contract.ts'
import { useFieldText } from '../../codes/use-field-text.ts'
import { changedFields } from './changed-fields.ts'
import { useValueText } from './use-value-text.ts'

/** Changed fields before and after. The gateway masks secrets. */
export function ChangeTable({ row }: { row: AuditRow }) {
  const { t } = useTranslation()
  const fieldText = useFieldText()
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
          <Table.Th w="34%">{t('audit.field')}</Table.Th>
          <Table.Th>{t('audit.before')}</Table.Th>
          <Table.Th>{t('audit.after')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => (
          <Table.Tr key={field.path}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{fieldText(field.path)}</Table.Td>
            <Side path={field.path} text={field.before} className="changed-before" />
            <Side path={field.path} text={field.after} className="changed-after" />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Side(props: { path: string; text: string | undefined; className: string }) {
  const { path, text, className } = props
  const valueText = useValueText()
  return (
    <Table.Td
      className={text === undefined ? 'monospace' : `monospace ${className}`}
      style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}
    >
      {text === undefined ? '—' : valueText(path, text)}
    </Table.Td>
  )
}
