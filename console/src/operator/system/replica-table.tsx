import { Badge, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SystemAnswer } from '../../../../src/console-api/contract.ts'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromSmall } from '../../parts/lists/media.ts'
import { Money } from '../../parts/values/money.tsx'
import { formatAge } from '../parts/ages.ts'

export function ReplicaTable({ system }: { system: SystemAnswer }) {
  const { t, i18n } = useTranslation()
  return (
    <ListTable
      rows={system.replicas}
      idOf={(row) => `${row.id} ${row.epoch}`}
      columns={[
        {
          accessor: 'id',
          title: t('system.replica'),
          render: (row) => (
            <Group gap="xs">
              <Text size="sm" className="monospace" style={{ overflowWrap: 'anywhere' }}>
                {row.id}
              </Text>
              {row.isThis && <Badge color="petrol">{t('system.this')}</Badge>}
            </Group>
          ),
        },
        {
          accessor: 'isAlive',
          title: t('people.state'),
          render: (row) => (
            <Badge variant="dot" color={row.isAlive ? 'teal' : 'gray.5'}>
              {row.isAlive ? t('system.alive') : t('system.gone')}
            </Badge>
          ),
        },
        {
          accessor: 'seenAt',
          title: t('system.seen'),
          visibleMediaQuery: fromSmall,
          noWrap: true,
          render: (row) => formatAge(row.seenAt, system.now, i18n.language),
        },
        {
          accessor: 'epoch',
          title: t('system.epoch'),
          textAlign: 'right',
          visibleMediaQuery: fromSmall,
          render: (row) => <span className="figures">{row.epoch}</span>,
        },
        {
          accessor: 'leaseCount',
          title: t('system.leases'),
          textAlign: 'right',
          visibleMediaQuery: fromSmall,
          render: (row) => <span className="figures">{row.leaseCount}</span>,
        },
        {
          accessor: 'heldNano',
          title: t('system.held'),
          textAlign: 'right',
          render: (row) => <Money nano={row.heldNano} />,
        },
      ]}
    />
  )
}
