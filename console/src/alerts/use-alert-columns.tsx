import { Badge, Box, Group, Text } from '@mantine/core'
import type { DataTableColumn } from 'mantine-datatable'
import { useTranslation } from 'react-i18next'
import type { AlertRow } from '../../../src/console-api/contract.ts'
import { formatList } from '../format/lists.ts'
import { RowName } from '../operator/parts/row-name.tsx'
import { fromSmall } from '../parts/lists/media.ts'

export function useAlertColumns(props: {
  readonly accountName: (id: string | null) => string
  readonly onOpen: (alert: AlertRow) => void
}): DataTableColumn<AlertRow>[] {
  const { t, i18n } = useTranslation()
  const { accountName, onOpen } = props
  const targetOf = (row: AlertRow) => row.urlHost ?? row.emails.join(', ')
  return [
    {
      accessor: 'name',
      title: t('alerts.name'),
      render: (row) => (
        <RowName
          name={row.name}
          note={accountName(row.accountId)}
          label={t('tokens.open', { name: row.name })}
          onOpen={() => onOpen(row)}
        />
      ),
    },
    {
      accessor: 'channel',
      title: t('alerts.channel'),
      visibleMediaQuery: fromSmall,
      render: (row) => (
        <Box miw={160}>
          <Text size="sm">{t(`alerts.channel.${row.channel}`)}</Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {targetOf(row)}
          </Text>
        </Box>
      ),
    },
    {
      accessor: 'kinds',
      title: t('alerts.kinds'),
      visibleMediaQuery: fromSmall,
      render: ({ kinds }) => (
        <Text size="sm">
          {formatList(
            kinds.map((kind) => t(`alerts.kind.${kind}`)),
            i18n.language,
          )}
        </Text>
      ),
    },
    {
      accessor: 'isEnabled',
      title: t('alerts.state'),
      render: ({ isEnabled, crossings }) => (
        <Group gap={4}>
          <Badge color={isEnabled ? 'teal' : 'gray'}>
            {isEnabled ? t('alerts.on') : t('alerts.off')}
          </Badge>
          {crossings > 0 && (
            <Badge color="orange">{t('alerts.crossings', { count: crossings })}</Badge>
          )}
        </Group>
      ),
    },
  ]
}
