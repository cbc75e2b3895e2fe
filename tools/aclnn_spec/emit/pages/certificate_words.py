"""What a report says in words, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aclnn_spec.certification.conclude import CONFORMANT, INCOMPLETE, NOT_CONFORMANT
from aclnn_spec.spec.model import Text

WORDS: Mapping[str, Text] = MappingProxyType(
    {
        CONFORMANT: Text(zh="符合规范", en="conformant"),
        NOT_CONFORMANT: Text(zh="不符合规范", en="not conformant"),
        INCOMPLETE: Text(zh="不完整", en="incomplete"),
        "pass": Text(zh="通过", en="passed"),
        "fail": Text(zh="失败", en="failed"),
        "waived": Text(zh="豁免", en="waived"),
        "skipped": Text(zh="跳过", en="skipped"),
        "colon": Text(zh="：", en=": "),
        "title": Text(zh="{} 的证书", en="Certificate of {}"),
        "verdict": Text(zh="结论：{}{}。共 {} 个用例：{}。", en="Verdict: {}{}. Cases: {}; {}."),
        "only_shard": Text(zh="（仅限第 {} 份）", en=" (shard {} only)"),
        "numerics": Text(
            zh="只判定了数值，没有判定状态码和调用过程；与后两者有关的用例都跳过了。",
            en="Numerics alone were judged, not status codes or the life of a call. Cases about those were skipped.",
        ),
        "notes": Text(zh="原因", en="Why"),
        "about": Text(zh="判定的对象与依据", en="What was judged, and by what"),
        "what": Text(zh="项目", en="Item"),
        "field": Text(zh="字段", en="Field"),
        "value": Text(zh="内容", en="Value"),
        "implementation": Text(zh="实现", en="Implementation"),
        "given": Text(zh="命令行中的写法", en="Named as"),
        "scope": Text(zh="范围", en="Scope"),
        "scope_full": Text(zh="完整：数值、状态码和调用过程", en="full: values, status codes, the life of a call"),
        "scope_numerics": Text(zh="仅数值", en="numerics alone"),
        "operator": Text(zh="算子", en="Operator"),
        "product": Text(zh="产品", en="Product"),
        "any": Text(zh="未指定", en="not given"),
        "policy": Text(zh="精度策略", en="Accuracy policy"),
        "tier": Text(zh="用例集", en="Tier"),
        "shard": Text(zh="第几份", en="Shard"),
        "evidence": Text(
            zh="以下内容照录自证书：实现自报的信息、运行环境，以及规范、标杆数据和判定程序的 SHA-256。",
            en="As the certificate holds it: what the implementation says of itself, where it ran, and the SHA-256 "
            "of the spec, the golden data and the judge.",
        ),
        "matrix": Text(zh="按分组和类型统计的结果", en="Results by group and type"),
        "matrix_told": Text(
            zh="类型取自用例的输入和输出，几种类型并用的归入“混合”。单独一个数字表示用例全部通过。",
            en="The type is that of a case's inputs and output; where these differ, the case is mixed. "
            "A number alone means that all of the cases passed.",
        ),
        "group": Text(zh="分组", en="Group"),
        "total": Text(zh="合计", en="Total"),
        "mixed": Text(zh="混合", en="mixed"),
        "no_type": Text(zh="不论类型", en="no one type"),
        "ulp": Text(zh="误差", en="Errors"),
        "ulp_told": Text(
            zh="只统计通过的用例：每个用例取各元素中的最大误差，单位为 ULP；柱高为用例数。",
            en="Of the cases that passed: the largest error of any element, in ULP. A bar counts cases.",
        ),
        "ulp_of": Text(zh="各用例的最大误差：{}", en="Largest error of each case: {}"),
        "ulp_desc": Text(
            zh="共 {} 个用例，其中 {} 个没有误差；最大误差为 {} ULP。",
            en="{} cases, {} of them without any error; the largest error is {} ULP.",
        ),
        "axis": Text(zh="最大误差（ULP）", en="largest error (ULP)"),
        "observed": Text(zh="未定条款的实际表现", en="Seen where the spec leaves freedom"),
        "observed_of": Text(zh="算子 ", en="Operator "),
        "clause": Text(zh="条款", en="Clause"),
        "seen": Text(zh="实际表现（用例数）", en="Seen (cases)"),
        "accepted": Text(zh="可接受的表现", en="Accepted"),
        "text": Text(zh="条款内容", en="What the clause says"),
        "failures": Text(zh="失败的用例", en="Failures"),
        "failures_told": Text(
            zh="每个用例可展开，内有所测的条款、出错之处和重现的方法。",
            en="Each opens to the clauses it tests, what went wrong, and a way to repeat it.",
        ),
        "waivers": Text(zh="豁免", en="Waivers"),
        "cases": Text(zh="用例", en="Cases"),
        "covered": Text(zh="涉及的用例数", en="Cases covered"),
        "reason": Text(zh="理由", en="Reason"),
        "check": Text(zh="核对", en="Check it"),
        "check_told": Text(
            zh="生成本报告之前，已用规范和标杆数据离线核对过这份证书。封条（seal）能发现误改，但不是签名：它不能证明是谁运行的。",
            en="Before this report was made, the certificate was verified offline against the spec and the golden "
            "data. Its seal reveals accidents but is no signature: it does not prove who ran what.",
        ),
        "numerics_short": Text(zh="仅数值", en="numerics only"),
        "in_shard": Text(zh="第 {} 份", en="shard {}"),
        "with_waived": Text(zh="豁免 {} 个", en="{} waived"),
        "one_operator": Text(zh="1 个算子", en="1 operator"),
        "operators": Text(zh="{} 个算子", en="{} operators"),
        "index": Text(zh="证书", en="Certificates"),
        "index_told": Text(
            zh="证书记录一次认证的结论和逐个用例的证据。这里是本项目自带的几个实现的证书。",
            en="A certificate holds the verdict of a run and its evidence, case by case. "
            "These are those of the implementations that come with the project.",
        ),
        "built_in": Text(zh="自带的实现", en="Built-in implementations"),
        "verdict_head": Text(zh="结论", en="Verdict"),
        "largest": Text(zh="最大误差（ULP）", en="Largest error (ULP)"),
        "compared": Text(zh="未定条款的对比", en="Compared where the spec leaves freedom"),
        "compared_told": Text(
            zh="来源没有写明或互相矛盾之处，列出的几种表现都可接受。括号内是出现该表现的用例数；“–”表示没有判定。",
            en="Where the sources are silent or disagree, several behaviours are accepted. "
            "The number of cases that showed one stands in brackets; – means that it was not judged.",
        ),
        "yours": Text(zh="你自己的证书", en="Your own"),
        "yours_told": Text(
            zh="认证自己的实现，再由证书生成网页和徽章，这里以一个现成的例子为例。网页自成一体，不含脚本，不访问网络。",
            en="Certify an implementation of your own, here one of the examples, then make a page and a badge of its "
            "certificate. "
            "The page stands alone: no script, no request.",
        ),
    }
)
