/** After the stories of a run. */
import { removeTemplate } from './template.ts'

export default removeTemplate
