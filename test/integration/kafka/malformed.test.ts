import { describeMalformed } from './scenarios/malformed.js'

describeMalformed({ step: 4, lies: 10 })
