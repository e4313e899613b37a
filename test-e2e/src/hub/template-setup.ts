/** Before the stories of a run. */
import { makeTemplate } from './template.ts'

export default makeTemplate
