import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { StartModel } from '../../../../src/console-api/contract.ts'
import { useVendorText } from '../../codes/use-vendor-text.ts'
import { Select } from '../../parts/forms/select.tsx'
import { startModelsQuery, vendorsQuery } from '../operator-queries.ts'

/** Fills the form from the built-in list of a vendor's models and public prices. */
export function StartModelChoice({ onChoose }: { onChoose: (model: StartModel) => void }) {
  const { t } = useTranslation()
  const vendorText = useVendorText()
  const vendors = useQuery(vendorsQuery).data?.vendors.filter((each) => each.hasStartModels) ?? []
  const [vendor, setVendor] = useState<string | null>(null)
  const known = useQuery({ ...startModelsQuery(vendor ?? ''), enabled: vendor !== null })
  const models = known.data?.models ?? []
  if (vendors.length === 0) return null
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="xs" style={{ alignItems: 'end' }}>
      <Select
        label={t('catalog.fillFrom')}
        placeholder={t('catalog.vendor')}
        data={vendors.map(({ name }) => ({ value: name, label: vendorText(name) }))}
        value={vendor}
        onChange={setVendor}
        clearable
        clearButtonProps={{ 'aria-label': t('operate.clear') }}
      />
      <Select
        aria-label={t('catalog.knownModel')}
        placeholder={t('catalog.knownModel')}
        disabled={vendor === null}
        data={models.map(({ id, isKnown }) => ({ value: id, label: id, disabled: isKnown }))}
        searchable
        limit={100}
        value={null}
        onChange={(id) => {
          const chosen = models.find((model) => model.id === id)
          if (chosen) onChoose(chosen)
        }}
      />
    </SimpleGrid>
  )
}
