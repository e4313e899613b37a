/** The body of the services resource: the participants that provide a service. */
import { z } from 'zod'
import { extensionList } from '../../bodies/complex.ts'
import { fspId } from '../../bodies/elements.ts'

/** PUT /services/{ServiceType}, from the hub. */
export const putServices = z.compile(
  z.looseObject({
    providers: z.array(fspId).max(256),
    extensionList: extensionList.optional(),
  }),
)
